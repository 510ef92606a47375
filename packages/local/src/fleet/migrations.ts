import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { createDatabases } from './databases.ts'
import { type FleetAddresses, processEnvironment } from './service-env.ts'
import type { ServiceDefinition } from './service-list.ts'

const run = promisify(execFile)

/**
 * Creates and migrates the databases of the services. A migration program that several services share runs once, with
 * the environments of all of them. If the program fails, the error contains its output.
 */
export async function prepareDatabases(
  adminUrl: string,
  services: ServiceDefinition[],
  fleet: FleetAddresses,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const owners = services.flatMap(({ holds, ...service }) => holds ?? [service]).filter(({ migrate }) => migrate)
  const names = owners.map(({ name }) => name)
  await createDatabases(adminUrl, names, fleet.secret)
  const programs = new Set(services.flatMap(({ migrate }) => migrate ?? []))
  await Promise.all(
    [...programs].map((program) => {
      const users = services.filter(({ migrate }) => migrate === program)
      const programEnv: NodeJS.ProcessEnv = {}
      for (const service of users) Object.assign(programEnv, processEnvironment(service, fleet, env))
      return migrate(program, users, programEnv)
    }),
  )
}

async function migrate(program: string, services: ServiceDefinition[], env: NodeJS.ProcessEnv) {
  try {
    await run(process.execPath, [program], { env, maxBuffer: 16_000_000 })
  } catch (error) {
    const output = error instanceof Error && 'stdout' in error ? String(error.stdout) : ''
    const cause = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error)
    const names = services.map(({ name }) => name).join(', ')
    throw new Error(`the databases of ${names} could not be migrated:\n${output}${cause}`.trimEnd())
  }
}
