/** See `processFields` and `busFields` of `@parley/config`. */
export type HostConfig = {
  internalHost: string
  internalPort: number
  drainTimeoutMs: number
  natsUrl: string
  natsUser: string | undefined
  natsPassword: string | undefined
}

/** See `databaseFields`. */
export type DatabaseConfig = HostConfig & { databaseUrl: string; databasePool: number }
