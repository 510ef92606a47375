import { randomUUID } from 'node:crypto'
import { redisFields } from '@parley/config'
import { openRedis, rateLimitPrefix, type RedisClient } from '@parley/redis'
import { encodeAdvice, hostEndsInPassword } from './address.ts'
import { portOf, reportServerCertificate } from './certificates.ts'
import { check, type Check } from './check.ts'
import { reportClock } from './clock.ts'
import { reasonOf, type Report } from './finding.ts'
import { reportVersion } from './versions.ts'

const commandTimeoutMs = 3_000

/** Checks Redis: certificate, connection, permissions, version, clock. */
export function redisCheck(deployable: string): Check {
  return check('redis', redisFields(), async ({ redisUrl: url }, report) => {
    const at = URL.parse(url)
    if (at === null || hostEndsInPassword(url))
      return report.fail(
        'redis.reach',
        'PARLEY_REDIS_URL has no host where it is expected',
        encodeAdvice('PARLEY_REDIS_URL'),
      )
    if (at.protocol === 'rediss:')
      await reportServerCertificate(report, 'redis.certificate', { host: at.hostname, port: portOf(at) })
    const client = openRedis({ url, name: `${deployable} doctor`, commandTimeoutMs })
    try {
      const failure = await whenConnected(client)
      if (failure === undefined) await examine(client, addressOf(at), report)
      else report.fail('redis.reach', `cannot use ${addressOf(at)}: ${failure}`, adviceFor(failure))
    } finally {
      client.disconnect()
    }
  })
}

const addressOf = ({ hostname, port }: URL): string => `${hostname}:${port || 6379}`

/** Waits for the connection; returns the reason if it fails. */
function whenConnected(client: RedisClient): Promise<string | undefined> {
  return new Promise((resolve) => {
    client.once('ready', () => resolve(undefined))
    client.once('error', (error) => resolve(reasonOf(error)))
  })
}

function adviceFor(failure: string): string {
  if (/WRONGPASS|NOAUTH|invalid password|AUTH/i.test(failure))
    return 'Put user and password of Redis into PARLEY_REDIS_URL: redis://user:password@host:6379.'
  if (/certificate|SSL|TLS/i.test(failure))
    return 'Use rediss:// for a server with TLS and redis:// otherwise; set NODE_EXTRA_CA_CERTS to a file with the authority of its certificate.'
  if (/NOPERM/.test(failure)) return rightsAdvice
  if (/LOADING/.test(failure)) return 'Redis is loading its data: wait, then check again.'
  return 'Start Redis, or correct PARLEY_REDIS_URL; check that no firewall blocks the connection.'
}

const rightsAdvice =
  'Grant the user the permissions that Parley needs: ACL SETUSER ... ~limit:* ~presence:* +@read +@write +@connection +@transaction +@scripting -@dangerous +info +time.'

async function examine(client: RedisClient, destination: string, report: Report): Promise<void> {
  try {
    await client.ping()
    report.ok('redis.reach', `connected to ${destination}`)
  } catch (error) {
    return report.fail('redis.reach', `cannot use ${destination}: ${reasonOf(error)}`, adviceFor(reasonOf(error)))
  }
  // A key of the rate limits, because the user may be allowed only the keys that Parley uses.
  const key = `${rateLimitPrefix('doctor')}:${randomUUID()}`
  const script = "redis.call('SET', KEYS[1], ARGV[1], 'EX', 60) return redis.call('GET', KEYS[1])"
  try {
    await client.eval(script, 1, key, 'probe')
    await client.del(key)
    report.ok('redis.rights', 'keys can be written, read and deleted, and scripts run')
  } catch (error) {
    const reason = reasonOf(error)
    const next = /OOM/.test(reason)
      ? 'Raise the maxmemory of Redis, or set maxmemory-policy allkeys-lru.'
      : rightsAdvice
    report.fail('redis.rights', `a key cannot be written, read and deleted: ${reason}`, next)
  }
  try {
    const version = /redis_version:(\S+)/.exec(await client.info('server'))?.[1] ?? '0'
    reportVersion(report, 'redis.version', 'Redis', version)
    const requestedMs = Date.now()
    const [seconds, micros] = await client.time()
    const serverMs = Number(seconds) * 1000 + Number(micros) / 1000
    reportClock(report, 'redis.clock', 'Redis', { serverMs, requestedMs, answeredMs: Date.now() })
  } catch (error) {
    report.warn('redis.version', `version and clock cannot be read: ${reasonOf(error)}`, rightsAdvice)
  }
}
