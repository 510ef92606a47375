export type ServerOptions = {
  dir: string
  /** TCP port on loopback; without it, or with 0, a free one is chosen. */
  port?: number
  logFile?: string
  pidFile?: string
  /** Receives progress messages about slow or unusual steps. */
  say?: (line: string) => void
}
