import type { Socket } from 'node:net'
import { busFields, type ConfigOf, type Field } from '@parley/config'
import { services } from '@parley/contracts/catalogue'
import { propertiesOf, type Deployable } from '@parley/contracts/deployables'
import { connectBus, type Bus } from '@parley/rpc'
import { Events } from 'nats'
import { readChunk, portOf, reportServerCertificate } from './certificates.ts'
import { check, type Check } from './check.ts'
import { codeOf, reasonOf, type Report } from './finding.ts'
import { checkStream, checkStreamAsUser } from './stream.ts'
import { reportVersion } from './versions.ts'

type BusConfig = ConfigOf<ReturnType<typeof busFields>>

/**
 * Bytes, the `max_payload` of deploy/nats/parley.conf: one message must hold a request of up to 1 MiB and its headers.
 */
const minPayload = 2 * 1024 ** 2

/**
 * Checks the bus for a deployable: versions, limits, durables, the connection to every server as both users of the
 * deployable (one for calls, one for events), and the permissions of the user for calls.
 */
export function busCheck(name: Deployable): Check {
  return check('nats', busFields(), async (config, report, signal) => {
    await Promise.all([
      ...config.natsUrl.split(',').map((url) => checkServer(name, { ...config, natsUrl: url }, report, signal)),
      withBus(name, config, 'rpc', (bus) => checkPermissions(name, bus, report)),
      withBus(name, config, 'events', (bus) => checkStreamAsUser(name, bus, report)),
    ])
  })
}

/** Checks the stream, for its keeper. `fields`: the settings of its size and number of copies. */
export function streamCheck(name: Deployable, fields: StreamFields): Check {
  return check('nats.stream', { ...busFields(), ...fields }, async (config, report) => {
    await withBus(name, config, 'events', (bus) => checkStream(bus, report, config))
  })
}

type StreamFields = { streamMaxBytes: Field<number>; streamReplicas: Field<number | undefined> }
type Purpose = 'rpc' | 'events'

const connect = (name: Deployable, config: BusConfig, purpose: Purpose) =>
  connectBus({
    ...{ url: config.natsUrl, user: config.natsUser, password: config.natsPassword },
    ...{ name, purpose, once: true },
  })

/** Does nothing if it cannot connect, because `checkServer` reports that for each server. */
async function withBus(
  name: Deployable,
  config: BusConfig,
  purpose: Purpose,
  use: (bus: Bus) => Promise<void>,
): Promise<void> {
  const bus = await connect(name, config, purpose).catch(() => undefined)
  if (bus === undefined) return
  await using open = bus
  await use(open)
}

async function checkServer(name: Deployable, config: BusConfig, report: Report, signal: AbortSignal): Promise<void> {
  const url = URL.parse(config.natsUrl)
  if (url === null)
    return report.fail(
      'nats.reach',
      'PARLEY_NATS_URL is not a list of URLs',
      'Write nats://host:4222, or several such URLs separated by commas.',
    )
  const at = `${url.hostname}:${url.port || 4222}`
  if (url.protocol === 'tls:') {
    const server = {
      host: url.hostname,
      port: portOf(url),
      prelude: async (socket: Socket) => void (await readChunk(socket)),
    }
    await reportServerCertificate(report, 'nats.certificate', server)
  }
  for (const purpose of ['rpc', 'events'] as const) {
    const check = purpose === 'rpc' ? 'nats.reach' : 'nats.events'
    const user =
      config.natsUser === undefined ? 'no user' : purpose === 'rpc' ? config.natsUser : `${config.natsUser}-events`
    if (signal.aborted) return
    try {
      await using bus = await connect(name, config, purpose)
      report.ok(check, `connected to ${at} as ${user}`)
      if (purpose === 'rpc') reportServer(bus, at, report)
    } catch (error) {
      report.fail(check, `cannot connect to ${at} as ${user}: ${reasonOf(error)}`, adviceFor(error, name))
      // The other user would fail for the same reason.
      return
    }
  }
}

function adviceFor(error: unknown, name: Deployable): string {
  const code = codeOf(error)
  if (code === 'AUTHORIZATION_VIOLATION' || code === 'AUTHENTICATION_TIMEOUT')
    return `PARLEY_NATS_PASSWORD of ${name} must be PARLEY_NATS_PASSWORD_${name.toUpperCase()} of the NATS server, which must run with the deploy/nats/parley.conf of this release: correct one of them, then restart.`
  if (code === 'TLS' || /certificate|tls/i.test(reasonOf(error)))
    return 'Set NODE_EXTRA_CA_CERTS to a file with the authority that issued the certificate of NATS, or renew the certificate.'
  return 'Start NATS, or correct PARLEY_NATS_URL; check that no firewall blocks the connection.'
}

function reportServer({ nc }: Bus, at: string, report: Report): void {
  const { version = '0', max_payload: most = 0 } = nc.info ?? {}
  reportVersion(report, 'nats.version', 'NATS', version)
  if (most >= minPayload) report.ok('nats.limits', `${at} accepts messages of ${most / 1024 ** 2} MiB`)
  else
    report.fail(
      'nats.limits',
      `${at} accepts messages of at most ${most} bytes`,
      'Set max_payload: 2MB in the configuration of NATS, as deploy/nats/parley.conf does.',
    )
}

/**
 * Subjects that no deployable may use: a method that no service has, a method of the operator, the operator's inbox.
 */
const forbidden = {
  publish: ['rpc.internal.svc_internal_v1_Doctor.Check', 'rpc.internal.svc_internal_v1_OperatorService.DoctorCheck'],
  subscription: ['_INBOX.operator.doctor'],
}

/**
 * Tries the permissions of a user: those it needs, and some that no deployable has. The attempts have no effect:
 * receivers ignore requests without a reply subject, and the subscribed methods do not exist.
 */
async function checkPermissions(name: Deployable, bus: Bus, report: Report): Promise<void> {
  const { nc, inboxPrefix } = bus
  const denied = new Set<string>()
  void (async () => {
    for await (const status of nc.status())
      if (status.type === Events.Error && status.permissionContext)
        denied.add(`${status.permissionContext.operation} ${status.permissionContext.subject}`)
  })()
  const ignore = { callback: () => undefined }
  const { calls = [], hints = {}, speaksForUsers } = propertiesOf(name)
  const owned: Record<string, { typeName: string }> = services[name]
  const served = Object.values(owned).filter(({ typeName }) => typeName.startsWith('svc.internal.'))
  const publishing = [
    ...(speaksForUsers ? ['rpc.svc_api_v1_Doctor.Check'] : []),
    ...calls.map((call) => `rpc.internal.svc_internal_v1_${call.replace('*', 'DoctorCheck')}`),
    ...(served.length > 0 ? [`_INBOX.doctor.${name}.check`] : []),
  ]
  for (const subject of [...publishing, ...forbidden.publish]) nc.publish(subject)
  for (const subject of [`${inboxPrefix}.doctor`, ...forbidden.subscription]) nc.subscribe(subject, ignore)
  for (const kind of hints.subscribes ?? []) nc.subscribe(`hint.${kind}.*`, ignore)
  for (const { typeName } of served)
    nc.subscribe(`rpc.internal.${typeName.replaceAll('.', '_')}.DoctorCheck`, { ...ignore, queue: name })
  // The server responds in order, so all denials arrive before this response, and only have to be processed.
  await nc.flush()
  await new Promise((resolve) => setImmediate(resolve))
  const tried = Object.entries(forbidden).flatMap(([way, subjects]) => subjects.map((subject) => `${way} ${subject}`))
  const allowed = tried.filter((one) => !denied.delete(one))
  if (allowed.length > 0)
    return report.fail(
      'nats.permissions',
      allowed.length === tried.length
        ? `NATS restricts nobody: the user of ${name} may use subjects that no deployable may use`
        : `NATS allows the user of ${name} subjects that no deployable may use: ${allowed.join(', ')}`,
      'Run NATS with the deploy/nats/parley.conf of this release; until then its users can read and do more than they should.',
    )
  if (denied.size === 0)
    return report.ok(
      'nats.permissions',
      `the user of ${name} has the permissions that it needs, and was denied the others that were tried`,
    )
  const examples = [...denied].slice(0, 3).join(', ') + (denied.size > 3 ? ` and ${denied.size - 3} more` : '')
  report.fail(
    'nats.permissions',
    `NATS denies the user of ${name}: ${examples}`,
    'Restart NATS with the deploy/nats/parley.conf of this release.',
  )
}
