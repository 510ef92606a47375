import { beforeAll, describe, expect, test } from '@jest/globals'
import { MessageService, RoomService, ViewerService } from '@parley/contracts/api'
import { eventually } from '@parley/testkit'
import { fleet } from '../src/fleet.ts'
import { postJson } from '../src/http.ts'
import { newPerson, signInOwner, type Person } from '../src/people.ts'
import { newRoom, post } from '../src/rooms.ts'
import { declaredMetrics, scrape, type Sample } from '../src/scrape.ts'
import { Socket } from '@parley/testkit/realtime-socket'

const { metrics, labels } = declaredMetrics()
let people: Person[]
let roomIds: string[]
let samples: (Sample & { process: number })[]

beforeAll(async () => {
  people = [await signInOwner(), ...(await Promise.all(['ada', 'bob', 'eve'].map((name) => newPerson(name))))]
  const [owner, ada, bob, eve] = people as [Person, Person, Person, Person]
  roomIds = await Promise.all([1, 2, 3].map(() => newRoom(owner, [ada, bob])))
  for (const base of fleet().realtimeNodes) {
    using socket = await Socket.subscribe(base, ada.token)
    for (const roomId of roomIds) {
      const eventId = await post(bob, roomId, `salutations @${ada.login}`)
      await socket.waitForMessage(eventId)
      await ada.attempt(MessageService.method.addReaction, { roomId, messageEventId: eventId, emoji: 'thumbsup' })
      await eve.attempt(MessageService.method.createMessage, { roomId, body: 'let me in' })
      await ada.attempt(RoomService.method.joinRoom, { roomId: `${roomId.slice(0, -1)}_` })
    }
    using failing = await Socket.open(base)
    failing.sendRaw('nonsense')
    await failing.waitUntilClosed()
  }
  for (const base of fleet().gateways) {
    await ada.call(ViewerService.method.getViewer, {}, { base })
    await postJson(`${base}/auth/login`, { login: `${ada.login}x`, password: ada.password })
    for (const path of ['/nothing/here', `/assets/files/${roomIds[0]}`, '/auth/providers/unknown', '/api/server'])
      await fetch(base + path, { redirect: 'manual' })
  }
  samples = await scrapeAll()
})

async function scrapeAll() {
  const scraped = await Promise.all(fleet().state().services.map(scrape))
  return scraped.flatMap((found, process) => found.map((sample) => ({ ...sample, process })))
}

const isTargetInfo = ({ series }: Sample): boolean => series === 'target_info'

test('a fleet reports only declared metrics and labels', () => {
  const known = new Map(metrics.flatMap((metric) => metric.series.map((series) => [series, metric])))
  const prometheusOf = new Map(labels.map(({ name, prometheus }) => [name, prometheus]))
  const undeclared = samples.filter((sample) => {
    if (isTargetInfo(sample)) return false
    const metric = known.get(sample.series)
    const allowed = ['le', ...(metric?.labels ?? []).map((label) => prometheusOf.get(label))]
    return metric === undefined || Object.keys(sample.labels).some((label) => !allowed.includes(label))
  })
  expect(undeclared).toEqual([])
  expect(samples.length).toBeGreaterThan(1_000)
})

describe('a label', () => {
  const valuesOf = (label: string): string[][] => {
    const byProcess = new Map<number, Set<string>>()
    for (const { process, labels: own } of samples) {
      const value = own[label]
      if (value === undefined) continue
      const known = byProcess.get(process) ?? new Set()
      byProcess.set(process, known.add(value))
    }
    return Array.from(byProcess.values(), (values) => [...values])
  }

  test.each(labels.map((label) => [label.name, label] as const))(
    '%s has only declared values, or in each process at most the allowed number of values',
    (_, label) => {
      for (const found of valuesOf(label.prometheus)) {
        if (label.values) expect(label.values).toEqual(expect.arrayContaining(found))
        else expect(found.length).toBeLessThanOrEqual(label.atMost ?? 0)
      }
    },
  )

  test('never contains an id, an address, a secret or message text', () => {
    const values = samples
      .filter((sample) => !isTargetInfo(sample))
      .flatMap(({ labels: { le: _, ...own } }) => Object.values(own))
    const personal = [
      ...people.flatMap(({ userId, login, token }) => [userId, login, token]),
      ...roomIds,
      'salutations',
      'nonsense',
    ]
    const idLike = /^[A-Z][0-9A-Za-z]{14}$|[0-9a-f]{8}-[0-9a-f]{4}|\d{4,}|@|\d+\.\d+\.\d+|\s/
    const wrong = values.filter((value) => idLike.test(value) || personal.some((secret) => value.includes(secret)))
    expect([...new Set(wrong)]).toEqual([])
  })
})

describe('the golden signals', () => {
  const sum = (series: string, wanted: Record<string, string> = {}): number =>
    samples
      .filter((sample) => sample.series === series)
      .filter((sample) => Object.entries(wanted).every(([label, value]) => sample.labels[label] === value))
      .reduce((total, { value }) => total + value, 0)
  const call = { rpc_method: 'svc.api.v1.MessageService/CreateMessage' }

  test.each(['rpc_server', 'rpc_client'])('of a method are reported by code: %s', (side) => {
    const of = (code: string) => sum(`${side}_call_duration_seconds_count`, { ...call, rpc_response_status_code: code })
    expect(of('ok')).toBeGreaterThan(0)
    expect(of('permission_denied')).toBeGreaterThan(0)
  })

  test('of HTTP are reported by route and status', () => {
    const of = (wanted: Record<string, string>) => sum('http_server_request_duration_seconds_count', wanted)
    expect(
      of({ http_route: '/svc.api.v1.MessageService/CreateMessage', http_response_status_code: '200' }),
    ).toBeGreaterThan(0)
    expect(of({ http_route: '/auth/login', http_response_status_code: '401' })).toBeGreaterThan(0)
    expect(of({ http_route: '/assets/*' })).toBeGreaterThan(0)
    expect(of({ http_route: '*', http_response_status_code: '404' })).toBeGreaterThan(0)
    expect(sum('http_client_request_duration_seconds_count', { parley_peer: 'assets' })).toBeGreaterThan(0)
  })

  test.each([
    'db_client_connection_use_time_seconds_count',
    'db_client_connection_wait_time_seconds_count',
    'db_client_connection_limit',
    'messaging_client_operation_duration_seconds_count',
    'messaging_process_duration_seconds_count',
    'parley_messaging_posted_total',
    'parley_outbox_relayed_total',
    'parley_realtime_failed_total',
    'parley_realtime_lag_seconds_count',
    'parley_realtime_opened_total',
    'parley_stream_messages',
    'parley_stream_size_bytes',
    'parley_stream_size_limit_bytes',
    'nodejs_eventloop_time_seconds_total',
    'v8js_memory_heap_used_bytes',
  ])('%s is above 0', async (series) => {
    await eventually(async () => {
      samples = await scrapeAll()
      expect(sum(series)).toBeGreaterThan(0)
    })
  })

  test.each([
    'parley_consumer_parked_waiting',
    'parley_consumer_pending',
    'parley_outbox_age_seconds',
    'parley_push_waiting',
    'parley_realtime_sockets',
    'parley_rpc_server_calls',
    'parley_rpc_server_queue_waiting',
  ])('%s is reported', (series) => {
    expect(samples.map((sample) => sample.series)).toContain(series)
  })
})
