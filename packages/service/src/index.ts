export type { DatabaseConfig, HostConfig } from './config.ts'
export type { DatabaseHost } from './database-host.ts'
export { startDatabaseHost, startHost, type HostOptions } from './start.ts'
export type { Host } from './host.ts'
