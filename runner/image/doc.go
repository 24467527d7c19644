// Package image makes images that have agents in them: from a recipe, which is
// data, to a Dockerfile, to an image that the engine builds.
//
// [New] turns what the user asked for into a [Recipe], [Recipe.Dockerfile] is a
// pure function of it, and [Build] has the engine build it. [List] and [Prune]
// look after the images made so far.
package image
