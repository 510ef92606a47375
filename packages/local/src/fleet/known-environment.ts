import { dataDirAt } from './data-dir.ts'
import { readJson } from './files.ts'
import { serviceEnvironment } from './service-env.ts'
import { parleyServices } from './service-list.ts'
import { Secrets } from './secrets.ts'

// Nothing is started from them: where their bundles are does not matter.
const definitions = parleyServices('')

/** The nine deployables. */
export const serviceNames: readonly string[] = definitions.map(({ name }) => name)

/**
 * The environment that processes of a service get from the fleet on a data folder, as far as the folder tells: with the
 * ports and secrets of its last run. Undefined when no fleet ever ran there. Throws for a service that does not exist.
 */
export function knownEnvironment(
  dataDir: string,
  service: string,
  given: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv | undefined {
  const definition = definitions.find(({ name }) => name === service)
  if (!definition) throw new RangeError(`there is no service ${service}`)
  const dir = dataDirAt(dataDir)
  const ports = readJson(dir.portsFile)
  if (!ports || !readJson(dir.secretsFile)) return undefined
  const secrets = new Secrets(dir.secretsFile)
  const portOf = (name: string) => Number(ports[name] ?? 0)
  const secret = (name: string) => secrets.peek(name) ?? ''
  const publicHost = given.PARLEY_WEBSERVER_HOST || '127.0.0.1'
  const port = given.PARLEY_WEBSERVER_PORT || given.PARLEY_PORT || '8080'
  const addresses = {
    publicUrl: `http://127.0.0.1:${port}`,
    publicHost,
    natsUrl: `nats://127.0.0.1:${portOf('nats')}`,
    redisUrl: `redis://:${secret('redis')}@127.0.0.1:${portOf('redis')}`,
    postgresPort: portOf('postgres'),
    assetsFolder: dir.assets,
    mailFolder: given.PARLEY_SMTP_ENABLED === 'true' ? undefined : dir.mail,
    secret,
    previousSecret: (name: string) => secrets.peek(`${name}.previous`),
  }
  return serviceEnvironment(definition, addresses, given)
}
