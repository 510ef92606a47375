import { once } from 'node:events'
import { createServer } from 'node:http'
import { afterAll, expect, test } from '@jest/globals'
import { HorizontalAutoscaler } from '../scaling/horizontal-autoscaler.mjs'
import { NodeScaler } from '../scaling/node-scaler.mjs'

const servers = []
afterAll(() => servers.forEach((server) => server.close()))

async function nodeWith(sockets) {
  const server = createServer((_, response) => response.end(`parley_realtime_sockets ${sockets}\n`))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  servers.push(server)
  return { pid: servers.length, internalPort: server.address().port }
}

function scalerOf(nodes, { minReplicas = 1, maxReplicas = 8, target = 100 } = {}) {
  const requests = []
  const fleet = { processesOf: () => nodes, scale: (name, count) => requests.push([name, count]) }
  const targets = { parley_realtime_sockets: target }
  const down = { stabilizationWindowSeconds: 0, policies: [{ type: 'Pods', value: 1, periodSeconds: 60 }] }
  const autoscaler = new HorizontalAutoscaler({ targets, minReplicas, maxReplicas, behavior: { scaleDown: down } })
  const times = { rateWindowSeconds: 120, scrapeMs: 5_000 }
  const scaler = new NodeScaler({ name: 'realtime', fleet, autoscaler, metricNames: Object.keys(targets), ...times })
  return { scaler, requests }
}

test.each([1, 2, 3])(
  'the scaler starts from the number of nodes in the fleet (%p), and keeps it while they are at their target',
  async (count) => {
    const { scaler, requests } = scalerOf(await Promise.all(Array.from({ length: count }, () => nodeWith(100))))
    expect(scaler.wanted).toBe(count)
    const decision = await scaler.decide()
    expect(decision).toMatchObject({
      ...{ wanted: count, next: count },
      metrics: { parley_realtime_sockets: Array.from({ length: count }, () => 100) },
    })
    scaler.apply(decision)
    expect(requests).toEqual([])
  },
)

test('as its behaviour says, the scaler removes one node at a time, even of those that the fleet started with', async () => {
  const { scaler, requests } = scalerOf(await Promise.all([nodeWith(10), nodeWith(10), nodeWith(10)]))
  scaler.apply(await scaler.decide())
  expect([scaler.wanted, requests]).toEqual([2, [['realtime', 2]]])
})

test('the scaler reduces a fleet that started with too many nodes to the maximum', async () => {
  const nodes = await Promise.all([nodeWith(100), nodeWith(100), nodeWith(100)])
  const { scaler, requests } = scalerOf(nodes, { maxReplicas: 2 })
  scaler.apply(await scaler.decide())
  expect(requests).toEqual([['realtime', 2]])
})

test('a requested node that has not started counts as a node without metrics', async () => {
  const { scaler, requests } = scalerOf([await nodeWith(300)])
  scaler.apply(await scaler.decide())
  expect(requests).toEqual([['realtime', 3]])
  const decision = await scaler.decide()
  expect(decision).toMatchObject({ wanted: 3, metrics: { parley_realtime_sockets: [300, undefined, undefined] } })
  scaler.apply(decision)
  expect(requests).toHaveLength(1)
})
