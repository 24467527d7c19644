package runner

import (
	"context"

	"github.com/docker/docker/client"
)

// usual is the engine where nothing names one: Docker Desktop's named pipe.
func usual(context.Context, ConnectOptions) endpoint {
	return endpoint{host: client.DefaultDockerHost, why: "default pipe"}
}
