import { resolve } from 'node:path'
import { effectiveSettings, type EffectiveSetting } from '@parley/config'
import { hasFfmpeg } from '../infrastructure/index.ts'
import { readSecretSettings, readSettings } from '../settings.ts'
import { dataDirAt } from './data-dir.ts'
import { readJson } from './files.ts'
import { readFleetEnvironment } from './fleet-environment.ts'
import { knownMediaServer } from './media-server.ts'
import { localUrl } from './public-port.ts'
import { isPushConfigured } from './push-keys.ts'
import { serviceEnvironment } from './service-env.ts'
import { parleyServices } from './service-list.ts'
import { Secrets } from './secrets.ts'

// The definitions are not used to start anything, so the paths of their bundles do not matter.
const definitions = parleyServices('')

export const serviceNames: readonly string[] = definitions.map(({ name }) => name)

/**
 * The environment that the fleet on this data folder gives to a service, as far as the folder shows it: the ports and
 * secrets of the last run. While the fleet runs, the variables that Parley reads are those of the fleet, not those of
 * `own`. Undefined if no fleet has run there. Throws for an unknown service.
 */
export function deriveServiceEnvironment(
  dataDir: string,
  service: string,
  own: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv | undefined {
  const definition = definitions.find(({ name }) => name === service)
  if (!definition) throw new RangeError(`there is no service ${service}`)
  const dir = dataDirAt(dataDir)
  const ports = readJson(dir.portsFile)
  if (!ports || !readJson(dir.secretsFile)) return undefined
  const secrets = new Secrets(dir.secretsFile)
  const running = readFleetEnvironment(dir, own)
  const env = running?.env ?? own
  const portOf = (name: string) => Number(ports[name] ?? 0)
  const secret = (name: string) => secrets.peek(name) ?? ''
  const settings = effectiveSettings(readSettings, { env })
  const valueOf = (name: string) => settings.find((one) => one.name === name)?.value
  const textOf = (name: string) => {
    const value = valueOf(name)
    return typeof value === 'string' ? value : undefined
  }
  const publicHost = textOf('host') ?? '127.0.0.1'
  const addresses = {
    publicUrl: running?.url ?? localUrl(publicHost, Number(valueOf('port') ?? 8080)),
    publicHost,
    natsUrl: `nats://127.0.0.1:${portOf('nats')}`,
    redisUrl: `redis://:${secret('redis')}@127.0.0.1:${portOf('redis')}`,
    postgresPort: portOf('postgres'),
    assetsFolder: dir.assets,
    mailFolder: valueOf('smtpEnabled') === true ? undefined : resolve(textOf('mailDir') ?? dir.mail),
    media:
      valueOf('livekitEnabled') === null ? knownMediaServer(portOf('livekit'), secrets.peek('livekit')) : undefined,
    vapidPrivateKey: isPushConfigured(env) ? undefined : secrets.peek('vapid'),
    videos: valueOf('videoEnabled') === null && hasFfmpeg(),
    secret,
    previousSecret: (name: string) => secrets.peek(`${name}.previous`),
  }
  const result = serviceEnvironment(definition, addresses, env)
  for (const one of [...settings, ...effectiveSettings(readSecretSettings, { env })])
    if (isFromFile(one)) delete result[one.env]
  return result
}

const isFromFile = ({ source }: EffectiveSetting): boolean =>
  !['environment', 'default', 'not set', 'missing'].includes(source)
