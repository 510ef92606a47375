import type { OwnerOptions } from './owner.ts'
import type { Layout, ServiceDefinition } from './service-list.ts'

export type FleetOptions = {
  dataDir: string
  port: number
  host?: string
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
  /** File that lists the processes while the fleet is ready; updated whenever one changes. */
  readyFile?: string | undefined
  /** Environment of the services, to which the fleet adds its own variables; default: that of this process. */
  env?: NodeJS.ProcessEnv
  /** False: a crash of the machine may corrupt the database; for tests. */
  fsync?: boolean
  /** Called with each line about progress, crashes and warnings of services. */
  say?: (line: string) => void
  layout?: Layout
  /** Services to run; default: all services of this checkout. */
  services?: ServiceDefinition[]
  /** Aborts the start: what is already running is stopped. */
  signal?: AbortSignal
  /** Kills services that are still draining when it is aborted. */
  force?: AbortSignal
}
