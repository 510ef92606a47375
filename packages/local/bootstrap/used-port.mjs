/** The error and advice for a port that is in use; also for the supervisor, through used-port.d.mts. */
export const adviceOnUsedPort = (host, port) =>
  `port ${port} on ${host} is in use; stop the program that uses it, or set PARLEY_PORT to another port (0: any free port)`
