import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { parse, parseAllDocuments } from 'yaml'
import { problemsOfNetwork } from '../deploy/check-network.mjs'

const read = (path) => readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), 'utf8')
const usual = parse(read('helm/parley/values.yaml')).networkPolicy
const given = parse(read('helm/parley/ci/full-values.yaml')).networkPolicy
const full = { ...usual, ...given, egress: { ...usual.egress, ...given.egress } }

/** What the chart renders, after a change of one policy. */
function rendered(name, policy, change = () => {}) {
  const objects = parseAllDocuments(read(`packages/tooling/deploy/golden/${name}.yaml`)).map((each) => each.toJS())
  const found = objects.find((each) => each?.kind === 'NetworkPolicy' && each.metadata.name === policy)
  change(found.spec)
  return objects.filter(Boolean)
}

const fromGateway = ({ from }) =>
  from?.some(({ podSelector }) => podSelector?.matchLabels['app.kubernetes.io/component'] === 'gateway')

test('the renderings have every arrow of the architecture, and no other', () => {
  expect(problemsOfNetwork(rendered('plain', 'parley'), usual)).toEqual([])
  expect(problemsOfNetwork(rendered('full', 'parley'), full)).toEqual([])
})

test.each([
  [
    'the gateway cannot forward',
    'plain',
    'parley-realtime',
    (spec) => (spec.ingress = spec.ingress.filter((rule) => !fromGateway(rule))),
    'gateway may not connect to realtime',
  ],
  [
    'anybody reaches a port behind the gateway',
    'plain',
    'parley-uploads',
    (spec) => spec.ingress.push({ ports: [{ port: 'http' }] }),
    'clients may connect to uploads',
  ],
  [
    'clients are kept away',
    'plain',
    'parley-gateway',
    (spec) => spec.ingress.pop(),
    'clients may not connect to gateway',
  ],
  [
    'Prometheus is kept away',
    'plain',
    'parley-rooms',
    (spec) => (spec.ingress = []),
    'nobody may read the metrics of rooms',
  ],
  [
    'a policy is for no pod',
    'plain',
    'parley',
    (spec) => (spec.podSelector.matchLabels = { none: '' }),
    'anybody may connect to migrate-rooms',
  ],
  [
    'an arrow that nobody uses',
    'full',
    'parley-calls',
    (spec) =>
      spec.ingress.push({
        ports: [{ port: 'http' }],
        from: [{ podSelector: { matchLabels: { 'app.kubernetes.io/component': 'rooms' } } }],
      }),
    'rooms may connect to calls and does not',
  ],
  [
    'the database is out of reach',
    'full',
    'parley-rooms',
    (spec) => (spec.egress = spec.egress.slice(0, 2)),
    'rooms may connect to dns,nats, not to',
  ],
  [
    'a DNS server that listens at another port is out of reach',
    'full',
    'parley-rooms',
    (spec) => (spec.egress[0].ports = spec.egress[0].ports.filter(({ port }) => port === 53)),
    'rooms may not ask all dnsPorts',
  ],
  [
    'uploads cannot ask its worker',
    'full',
    'parley-uploads',
    (spec) => spec.egress.pop(),
    'uploads to video-worker is wrong as egress',
  ],
  [
    'parley status may not leave admin',
    'full',
    'parley-admin',
    (spec) => (spec.egress = spec.egress.filter(({ ports }) => !ports?.some(({ port }) => port === 'internal'))),
    'admin to rooms is wrong for parley status',
  ],
  [
    'parley status is kept away',
    'full',
    'parley-video-worker',
    (spec) => {
      const rule = spec.ingress.find(({ ports }) => ports[0].port === 'internal')
      rule.from = rule.from.filter(
        ({ podSelector }) => podSelector?.matchLabels['app.kubernetes.io/component'] !== 'admin',
      )
    },
    'parley status in admin does not reach video-worker',
  ],
])('the check finds that %s', (_, name, policy, change, problem) => {
  const problems = problemsOfNetwork(rendered(name, policy, change), name === 'full' ? full : usual)
  expect(problems).toContainEqual(expect.stringContaining(problem))
})
