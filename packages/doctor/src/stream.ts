import { deployableNames, propertiesOf, type Deployable } from '@parley/contracts/deployables'
import { requestKeeper, durableName, eventStream } from '@parley/events'
import type { Bus } from '@parley/rpc'
import { AckPolicy, nanos, NatsError, type JetStreamManager, type StreamInfo } from 'nats'
import { reportClock } from './clock.ts'
import { reasonOf, type Report } from './finding.ts'

/** A durable with this many waiting messages is reported as behind. */
const lagThreshold = 10_000

const streamNotFoundCode = 10059
const jetStreamUnavailable = new Set([10039, 10076])

/** Asks the keeper, because other deployables have no right to read the state of the stream. */
export async function checkStreamAsUser(name: Deployable, bus: Bus, report: Report): Promise<void> {
  const wanted = propertiesOf(name).consumes ?? []
  let lags: Record<string, number>
  try {
    lags = (await requestKeeper(bus, 'lags', {}, name)).messages
  } catch (error) {
    return report.warn(
      'nats.durables',
      `the keeper of the stream cannot report the durables: ${reasonOf(error)}`,
      'Start admin, which administers the stream. If it runs, run NATS with the deploy/nats/parley.conf of this release.',
    )
  }
  const names = wanted.map((durable) => durableName(name, durable))
  const missing = names.filter((durable) => lags[durable] === undefined)
  if (missing.length > 0)
    report.warn(
      'nats.durables',
      `missing on the stream: ${missing.join(', ')}`,
      `Start ${name}, which requests its durables; events stay on the stream for three days.`,
    )
  else if (names.length > 0) report.ok('nats.durables', `all ${names.length} durables exist`)
  for (const durable of names) {
    const lag = lags[durable] ?? 0
    if (lag >= lagThreshold)
      report.warn('nats.lag', `${durable} is ${lag} messages behind`, `Check the log of ${name}, or add processes.`)
  }
}

type StreamSettings = { streamMaxBytes: number; streamReplicas: number | undefined }

/** Checks the stream as its keeper, which alone has administrative rights for JetStream. */
export async function checkStream(bus: Bus, report: Report, settings: StreamSettings): Promise<void> {
  const manager = await bus.nc.jetstreamManager({ checkAPI: false, timeout: 5_000 })
  try {
    const account = await manager.getAccountInfo()
    const { storage, limits } = account
    const limit = limits.max_storage > 0 ? ` of ${gib(limits.max_storage)}` : ''
    report.ok('nats.jetstream', `JetStream stores ${gib(storage)}${limit} for the account of events`)
    const requestedMs = Date.now()
    const info = await manager.streams.info(eventStream)
    const serverTime = info.ts ?? (await createdAt(manager))
    const reading = { serverMs: Date.parse(serverTime), requestedMs, answeredMs: Date.now() }
    reportClock(report, 'nats.clock', 'NATS', reading)
    reportStream(info, report, settings)
    await checkDurables(manager, report)
  } catch (error) {
    reportMissing(error, report)
  }
}

/** The time of NATS, from the creation of a temporary consumer: NATS before 2.10 states its time nowhere else. */
async function createdAt(manager: JetStreamManager): Promise<string> {
  const { name, created } = await manager.consumers.add(eventStream, {
    ack_policy: AckPolicy.None,
    mem_storage: true,
    num_replicas: 1,
    inactive_threshold: nanos(5_000),
  })
  await manager.consumers.delete(eventStream, name)
  return created
}

function reportMissing(error: unknown, report: Report): void {
  const code = error instanceof NatsError ? (error.api_error?.err_code ?? 0) : 0
  if (code === streamNotFoundCode)
    report.fail(
      'nats.stream',
      `there is no stream ${eventStream}`,
      'Start admin, which creates it. If there was one, the services publish the events in their outboxes again.',
    )
  else if (jetStreamUnavailable.has(code) || (error instanceof NatsError && error.code === '503'))
    report.fail(
      'nats.jetstream',
      'JetStream is unavailable: it is disabled, or has no leader',
      'Start NATS with JetStream as in deploy/nats/parley.conf and with a store (-sd); in a cluster most servers must run.',
    )
  else report.fail('nats.stream', `the stream cannot be checked: ${reasonOf(error)}`, 'Check the log of NATS.')
}

function reportStream({ config, state, cluster }: StreamInfo, report: Report, settings: StreamSettings): void {
  const found = `${eventStream} contains ${gib(state.bytes)} of at most ${gib(config.max_bytes)}, in ${config.num_replicas} copies`
  const unavailable = (cluster?.replicas ?? []).filter(({ current, offline }) => !current || offline === true)
  if (unavailable.length > 0)
    report.warn(
      'nats.stream',
      `${found}; ${unavailable.map(({ name }) => name).join(', ')} ${unavailable.length === 1 ? 'is' : 'are'} behind or unavailable`,
      'Start these NATS servers; copies catch up by themselves.',
    )
  else report.ok('nats.stream', found)
  if (config.max_bytes < settings.streamMaxBytes)
    report.warn(
      'nats.store',
      `the stream is limited to ${gib(config.max_bytes)} instead of ${gib(settings.streamMaxBytes)}`,
      'Raise max_file_store of NATS and its disk, or set PARLEY_NATS_STREAM_MAX_BYTES lower.',
    )
  else report.ok('nats.store', 'the store of NATS has room for the whole stream')
  if (settings.streamReplicas !== undefined && config.num_replicas < settings.streamReplicas)
    report.warn(
      'nats.replicas',
      `the stream has ${config.num_replicas} of ${settings.streamReplicas} copies`,
      'Connect as many NATS servers with JetStream to one cluster, or set PARLEY_NATS_STREAM_REPLICAS lower.',
    )
}

/** Reports unknown durables: outboxes keep the entries for a durable that nobody reads. */
async function checkDurables(manager: JetStreamManager, report: Report): Promise<void> {
  const known = new Set(
    deployableNames.flatMap((name) => (propertiesOf(name).consumes ?? []).map((durable) => durableName(name, durable))),
  )
  const unknown: string[] = []
  for await (const { name, config } of manager.consumers.list(eventStream))
    if (config.durable_name !== undefined && !known.has(name)) unknown.push(name)
  if (unknown.length === 0) report.ok('nats.unknown', 'every durable belongs to a deployable of this release')
  else
    report.warn(
      'nats.unknown',
      `durables that no deployable of this release reads: ${unknown.join(', ')}`,
      'After an upgrade NATS deletes them when nobody has read them for three days; until then outboxes keep their entries.',
    )
}

const gib = (bytes: number): string => `${(bytes / 1024 ** 3).toFixed(bytes < 1024 ** 3 ? 3 : 1)} GiB`
