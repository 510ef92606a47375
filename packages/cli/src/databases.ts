import { unreachable } from './failure.ts'
import { environmentInFolder } from './environment-in-folder.ts'

const services = ['accounts', 'admin'] as const
const variableOf = (service: string) => `PARLEY_${service.toUpperCase()}_DATABASE_URL`

/**
 * The databases are those of `env` or, for a service whose database `env` does not name, those of the fleet on the
 * data folder. Throws if there is neither.
 */
export function databasesOf(
  dataDir: string,
  env: NodeJS.ProcessEnv,
): Record<(typeof services)[number], NodeJS.ProcessEnv> {
  const [accounts, admin] = services.map((service) => {
    if (env[variableOf(service)]) return env
    const known = environmentInFolder(dataDir, service, env)
    if (known) return known
    throw unreachable(
      `the database of ${service} is unknown, because no fleet has run on ${dataDir}; set ${variableOf(service)}, or choose another data folder with --data-dir or PARLEY_DATA_DIR`,
    )
  })
  return { accounts: accounts ?? env, admin: admin ?? env }
}
