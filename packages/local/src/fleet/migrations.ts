import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { makeDatabases } from './databases.ts'
import { type FleetAddresses, processEnvironment } from './service-env.ts'
import type { ServiceDefinition } from './service-list.ts'

const run = promisify(execFile)
const atOnce = 2

/** Makes the databases that are missing and migrates each, two at a time. Throws the output of the first that fails. */
export async function prepareDatabases(
  adminUrl: string,
  services: ServiceDefinition[],
  fleet: FleetAddresses,
  given: NodeJS.ProcessEnv,
): Promise<void> {
  const waiting = services.flatMap((service) =>
    service.migrate === undefined
      ? []
      : [{ name: service.name, script: service.migrate, env: processEnvironment(service, fleet, given) }],
  )
  const owners = services.flatMap(({ holds, ...service }) => holds ?? [service]).filter(({ migrate }) => migrate)
  await makeDatabases(
    adminUrl,
    owners.map(({ name }) => name),
    fleet.secret,
  )
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await migrate(next)
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}

async function migrate({ name, script, env }: { name: string; script: string; env: NodeJS.ProcessEnv }) {
  try {
    await run(process.execPath, [script], { env, maxBuffer: 16_000_000 })
  } catch (error) {
    const output = error instanceof Error && 'stdout' in error ? String(error.stdout) : ''
    const cause = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error)
    throw new Error(`the database of ${name} could not be migrated:\n${output}${cause}`.trimEnd())
  }
}
