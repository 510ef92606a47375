import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { parse, parseAllDocuments } from 'yaml'
import { problemsOfNetwork } from '../deploy/check-network.mjs'

const read = (path) => readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), 'utf8')
const usual = parse(read('helm/parley/values.yaml')).networkPolicy
const given = parse(read('helm/parley/ci/full-values.yaml')).networkPolicy
const full = { ...usual, ...given, egress: { ...usual.egress, ...given.egress } }

/** The objects that the chart renders, after a change to one policy. */
function renderedObjects(name, policy, change = () => {}) {
  const objects = parseAllDocuments(read(`packages/tooling/deploy/golden/${name}.yaml`)).map((each) => each.toJS())
  const found = objects.find((each) => each?.kind === 'NetworkPolicy' && each.metadata.name === policy)
  change(found.spec)
  return objects.filter(Boolean)
}

const fromGateway = ({ from }) =>
  from?.some(({ podSelector }) => podSelector?.matchLabels['app.kubernetes.io/component'] === 'gateway')

test('the rendered policies allow the connections that deployables need, and no others', () => {
  expect(problemsOfNetwork(renderedObjects('plain', 'parley'), usual)).toEqual([])
  expect(problemsOfNetwork(renderedObjects('full', 'parley'), full)).toEqual([])
})

test.each([
  [
    'the gateway cannot forward',
    'plain',
    'parley-realtime',
    (spec) => (spec.ingress = spec.ingress.filter((rule) => !fromGateway(rule))),
    'gateway needs to connect to realtime, but may not',
  ],
  [
    'anybody can reach a port behind the gateway',
    'plain',
    'parley-uploads',
    (spec) => spec.ingress.push({ ports: [{ port: 'http' }] }),
    'clients may connect to uploads',
  ],
  [
    'clients are blocked',
    'plain',
    'parley-gateway',
    (spec) => spec.ingress.pop(),
    'clients may not connect to gateway',
  ],
  [
    'Prometheus is blocked',
    'plain',
    'parley-rooms',
    (spec) => (spec.ingress = []),
    'Prometheus may not read the metrics of rooms',
  ],
  [
    'a policy selects no pod',
    'plain',
    'parley',
    (spec) => (spec.podSelector.matchLabels = { none: '' }),
    'anybody may connect to migrate-rooms',
  ],
  [
    'a connection is allowed that nothing uses',
    'full',
    'parley-calls',
    (spec) =>
      spec.ingress.push({
        ports: [{ port: 'http' }],
        from: [{ podSelector: { matchLabels: { 'app.kubernetes.io/component': 'rooms' } } }],
      }),
    'rooms may connect to calls, but does not need to',
  ],
  [
    'the database cannot be reached',
    'full',
    'parley-rooms',
    (spec) => (spec.egress = spec.egress.slice(0, 2)),
    'rooms may connect to dns,nats, but should be allowed',
  ],
  [
    'a DNS server on another port cannot be reached',
    'full',
    'parley-rooms',
    (spec) => (spec.egress[0].ports = spec.egress[0].ports.filter(({ port }) => port === 53)),
    'rooms may not use all dnsPorts',
  ],
  [
    'uploads cannot connect to its worker',
    'full',
    'parley-uploads',
    (spec) => spec.egress.pop(),
    'the egress rule from uploads to video-worker is wrong',
  ],
  [
    'parley status in admin cannot connect to rooms',
    'full',
    'parley-admin',
    (spec) => (spec.egress = spec.egress.filter(({ ports }) => !ports?.some(({ port }) => port === 'internal'))),
    'the egress rule from admin to rooms for parley status is wrong',
  ],
  [
    'parley status is blocked',
    'full',
    'parley-video-worker',
    (spec) => {
      const rule = spec.ingress.find(({ ports }) => ports[0].port === 'internal')
      rule.from = rule.from.filter(
        ({ podSelector }) => podSelector?.matchLabels['app.kubernetes.io/component'] !== 'admin',
      )
    },
    'parley status in admin cannot connect to video-worker',
  ],
])('the check finds that %s', (_, name, policy, change, problem) => {
  const problems = problemsOfNetwork(renderedObjects(name, policy, change), name === 'full' ? full : usual)
  expect(problems).toContainEqual(expect.stringContaining(problem))
})
