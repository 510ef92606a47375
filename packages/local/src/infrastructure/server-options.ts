/** Options common to the three servers. */
export type ServerOptions = {
  /** Folder of its data; made when missing. */
  dir: string
  /** TCP port on loopback; a free one when 0 or left out. */
  port?: number
  /** File for its output; default: in `dir`. */
  logFile?: string
  /** Its pid file; default: in `dir`. */
  pidFile?: string
  /** Receives progress messages about slow or unusual steps. */
  say?: (line: string) => void
}
