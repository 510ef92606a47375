/** Options that all servers have. */
export type ServerOptions = {
  /** Folder of its data; created if missing. */
  dir: string
  /** TCP port on loopback; without it, or with 0, a free one is chosen. */
  port?: number
  /** File for its output; default: in `dir`. */
  logFile?: string
  /** Its pid file; default: in `dir`. */
  pidFile?: string
  /** Receives progress messages about slow or unusual steps. */
  say?: (line: string) => void
}
