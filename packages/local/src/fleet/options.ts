import type { OwnerOptions } from './owner.ts'
import type { Layout, ServiceDefinition } from './service-list.ts'

/** Options of a fleet. */
export type FleetOptions = {
  /** Folder with all data of the fleet; created if it is missing. */
  dataDir: string
  /** Port of the (first) gateway; 0 takes a free one. */
  port: number
  /** Address on which the gateways listen; default: 127.0.0.1. */
  host?: string
  /** Processes of every service; default 1. */
  replicas?: number
  /** The first owner; default: login `parley` with a random password. False: no owner is created. */
  owner?: OwnerOptions | false
  /**
   * Folder for all mails, which a page shows; default: `mail` in the data folder. False: a mail server is configured.
   */
  mailFolder?: string | false | undefined
  /** True: starts a media server for calls if its program is installed. Default: uses the configured one. */
  mediaServer?: boolean
  /** True: processes videos if ffmpeg is installed. Default: as configured. */
  videos?: boolean
  /** Written whenever the fleet is ready and a process has changed. */
  readyFile?: string | undefined
  /** Environment of the services besides what the fleet sets itself; default: this process's own. */
  env?: NodeJS.ProcessEnv
  /** False: commits may be lost when the machine stops; for tests. */
  fsync?: boolean
  /** Receives each line about progress, and crashes and warnings of services. */
  say?: (line: string) => void
  /** Processes for the deployables; default `separate`. */
  layout?: Layout
  /** Services to run; default: the nine services of this checkout. */
  services?: ServiceDefinition[]
  /** Ends the start when it fires: what already runs is stopped. */
  signal?: AbortSignal
  /** Kills services that are still draining when it fires. */
  force?: AbortSignal
}
