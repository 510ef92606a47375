import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** Paths in the data folder of a fleet. */
export type DataDir = {
  root: string
  postgres: string
  nats: string
  redis: string
  /** Bytes of avatars, attachments and other assets. */
  assets: string
  /** Folder of files about the running fleet, such as pid files, and of the ports of its last run. */
  run: string
  logs: string
  /** Folder of mails, while there is no mail server. */
  mail: string
  secretsFile: string
  /** The ports of the last run, which the next one uses again. */
  portsFile: string
  lockFile: string
  /** Credentials with which the operator's command connects to this fleet. */
  operatorFile: string
  /** The environment with which this fleet was started. */
  environmentFile: string
  /** The processes of this fleet and their internal ports. */
  processesFile: string
}

/** Paths inside a data folder. */
export function dataDirAt(folder: string): DataDir {
  const root = resolve(folder)
  const run = join(root, 'run')
  return {
    root,
    postgres: join(root, 'postgres'),
    nats: join(root, 'nats'),
    redis: join(root, 'redis'),
    assets: join(root, 'assets'),
    run,
    logs: join(root, 'logs'),
    mail: join(root, 'mail'),
    secretsFile: join(root, 'secrets.json'),
    portsFile: join(run, 'ports.json'),
    lockFile: join(run, 'supervisor.pid'),
    operatorFile: join(run, 'operator.json'),
    environmentFile: join(run, 'given.json'),
    processesFile: join(run, 'processes.json'),
  }
}

/** Creates the data folder itself, `run` and `logs`. The servers and services create their own folders. */
export function createDataDir(dir: DataDir): void {
  mkdirSync(dir.root, { recursive: true })
  mkdirSync(dir.run, { recursive: true, mode: 0o700 })
  mkdirSync(dir.logs, { recursive: true, mode: 0o700 })
}
