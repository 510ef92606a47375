import { spawnSync } from 'node:child_process'
import { expect, test } from '@jest/globals'
import { parseAllDocuments, stringify } from 'yaml'
import { problemsOfNetwork } from '../deploy/check-network.mjs'
import { chart, hasHelm, mergeValues, valueFiles } from '../deploy/renderings.mjs'

const withHelm = hasHelm() ? test : test.skip
if (!hasHelm()) console.log('chart-values: skipped: helm is not installed')

const full = valueFiles().find(({ name }) => name === 'full')

/** Renders the chart with the values of ci/full-values.yaml and changes to them. Throws what helm says. */
function rendered(changes = {}, release = 'parley') {
  const args = ['--kube-version', '1.30.0', '-f', `${chart}/${full.files[0]}`, '-f', '-']
  const input = stringify(changes, { version: '1.1' })
  const { stdout, stderr, status } = spawnSync('helm', ['template', release, chart, ...args], {
    input,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr)
  // Helm reads `on` as a boolean, as YAML 1.1 does.
  return parseAllDocuments(stdout, { version: '1.1' }).flatMap((document) => document.toJS() ?? [])
}

const keysOfNames = /^(name|key|secretName|claimName|host|\w+ClassName|serviceAccountName|app\.kubernetes\.io\/.+)$/

/** Paths of labels and names that are not strings. */
const nonStrings = (value, path = '') =>
  Object.entries(value ?? {}).flatMap(([key, each]) =>
    typeof each === 'object'
      ? nonStrings(each, `${path}.${key}`)
      : keysOfNames.test(key) && typeof each !== 'string'
        ? [`${path}.${key}`]
        : [],
  )

withHelm('labels and names that look like numbers or booleans remain strings', () => {
  const secret = { existingSecret: '123', key: '1e3' }
  const changes = {
    image: { pullSecrets: ['1'] },
    secrets: { secretKey: secret, natsPasswords: { existingSecret: 'on' }, databaseUrls: { existingSecret: 'no' } },
    config: { core: { assets: { storage_backend: 'disk' } } },
    assets: { existingClaim: '7' },
    services: { uploads: { secretEnv: { PARLEY_SMTP_PASSWORD: secret } }, rooms: { priorityClassName: '5' } },
    ingress: { className: '9', tlsSecret: '10', grpc: { tlsSecret: 'yes' } },
    keda: { authentication: '11' },
    serviceAccount: { name: '12' },
  }
  const objects = rendered(changes, 'true')
  expect(objects.length).toBeGreaterThan(50)
  expect(objects.flatMap((each) => nonStrings(each, `${each.kind} ${each.metadata.name}`))).toEqual([])
})

withHelm('objects of releases whose long names begin alike have different names of at most 63 characters', () => {
  const name = 'chat-of-the-northern-branch-of-an-organisation'
  const [one, other] = ['-first', '-other'].map((end) =>
    rendered({}, name + end).map(({ kind, metadata }) => `${kind} ${metadata.name}`),
  )
  expect(one.filter((each) => other.includes(each))).toEqual([])
  expect(one.filter((each) => each.split(' ')[1].length > 63)).toEqual([])
})

withHelm.each(['https://[::1]', 'https://[2001:db8::1]:8443', 'http://192.0.2.7:8080'])(
  'routes for %s are refused, because they need a host name',
  (url) => {
    const sentence = `url: ${url} is an address; an ingress or a route of a Gateway needs a host name`
    expect(() => rendered({ url })).toThrow(sentence)
    expect(() => rendered({ url, ingress: { enabled: false } })).toThrow(sentence)
    expect(rendered({ url, ingress: { enabled: false }, gatewayApi: { enabled: false } })).not.toEqual([])
  },
)

withHelm('hosts of routes are in small letters', () => {
  const hosts = rendered({
    url: 'https://Chat.Example.org:8443',
    ingress: { grpc: { host: 'GRPC.chat.example.org' } },
    gatewayApi: { grpcHost: 'Native.chat.example.org' },
  }).flatMap(({ kind, spec }) =>
    kind === 'Ingress' ? [spec.rules[0].host, spec.tls[0].hosts[0]] : /Route$/.test(kind) ? spec.hostnames : [],
  )
  expect(new Set(hosts)).toEqual(new Set(['chat.example.org', 'grpc.chat.example.org', 'native.chat.example.org']))
})

withHelm('even a collector whose address is in a Secret needs an egress rule', () => {
  const secretEnv = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: { existingSecret: 'parley', key: 'collector' } }
  const changes = { env: { OTEL_EXPORTER_OTLP_ENDPOINT: null }, services: { rooms: { secretEnv } } }
  const policy = mergeValues(full.values, changes).networkPolicy
  expect(problemsOfNetwork(rendered(changes), policy)).toEqual([])
  const withoutAddress = { ...changes, networkPolicy: { egress: { collector: [] } } }
  expect(() => rendered(withoutAddress)).toThrow('networkPolicy.egress: no addresses are given for collector')
})
