package cmd

import "github.com/spf13/cobra"

// commands are all of heretic's commands.
func (a *App) commands() []*cobra.Command {
	return []*cobra.Command{
		newRun(a),
		newPS(a),
		newAttach(a),
		newLogs(a),
		newExec(a),
		newStop(a),
		newPrune(a),
		newInit(a),
		newAgents(a),
		newLocalInit(a),
		newLocalValidate(a),
		newTrust(a),
		newSchema(a),
		newSecret(a),
		newMCP(a),
		newImage(a),
		newDoctor(a),
		newCompletion(),
		newVersion(a),
	}
}
