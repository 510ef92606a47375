import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

export type DataDir = {
  root: string
  postgres: string
  nats: string
  redis: string
  assets: string
  /** Files about the running fleet, such as pid files, and the ports of its last run. */
  run: string
  logs: string
  mail: string
  secretsFile: string
  portsFile: string
  lockFile: string
  operatorFile: string
  environmentFile: string
  processesFile: string
}

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

/** Creates the data folder, `run` and `logs`. The servers and services create their own folders. */
export function createDataDir(dir: DataDir): void {
  mkdirSync(dir.root, { recursive: true })
  mkdirSync(dir.run, { recursive: true, mode: 0o700 })
  mkdirSync(dir.logs, { recursive: true, mode: 0o700 })
}
