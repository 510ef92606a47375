/** What to do about a port that is in use. For the bootstrap and, through used-port.d.mts, for the supervisor. */
export const adviceOnUsedPort = (host, port) =>
  `port ${port} on ${host} is in use; stop what uses it, or set PARLEY_PORT to another port (0 takes a free one)`
