/** The error and advice for a port that is in use. The supervisor prints it too; used-port.d.mts has its type. */
export const adviceOnUsedPort = (host, port) =>
  `port ${port} on ${host} is in use; stop the program that uses it, or set PARLEY_PORT to another port (0: any free port)`
