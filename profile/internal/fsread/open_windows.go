package fsread

const nonblock = 0
