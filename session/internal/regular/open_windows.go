package regular

const nonblock, nofollow = 0, 0

func isLink(error) bool { return false }
