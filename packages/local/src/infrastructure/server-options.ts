export type ServerOptions = {
  dir: string
  /** The port is on loopback. Without it, or with 0, a free port is chosen. */
  port?: number
  logFile?: string
  pidFile?: string
  say?: (line: string) => void
}
