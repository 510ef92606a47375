import { isDeepStrictEqual } from 'node:util'
import { deployableNames, propertiesOf } from './manifest.mjs'
import { settingsOf } from './settings.mjs'

const component = 'app.kubernetes.io/component'
const nameOf = ({ metadata }) => metadata.labels[component]

/** The deployable in whose pods docs/operator-command.md runs `parley status`. */
const statusCaller = 'admin'

const isWholeCluster = ({ namespaceSelector, podSelector }) =>
  podSelector === undefined && namespaceSelector !== undefined && Object.keys(namespaceSelector).length === 0

/** Settings that show where else a deployable connects, in addition to the bus, its database and Redis. */
const reachedBy = {
  PARLEY_SMTP_HOST: 'mail',
  PARLEY_LIVEKIT_API_SECRET: 'media',
  PARLEY_CORE_ASSETS_S3_ENDPOINT: 'storage',
  PARLEY_OUTBOUND_PRIVATE_NETWORKS: 'internet',
  'PARLEY_AUTH_PROVIDERS_<n>_CLIENT_SECRET': 'internet',
}

/** `reaches` of each deployable in the manifest must match its settings. */
export function problemsOfReach() {
  return deployableNames.flatMap((name) => {
    const settings = settingsOf(name)
    const wanted = new Set(Object.keys(reachedBy).flatMap((each) => (settings.includes(each) ? [reachedBy[each]] : [])))
    const declared = new Set(propertiesOf(name).reaches)
    return isDeepStrictEqual(declared, wanted)
      ? []
      : [`deployables.ts: ${name} reaches ${[...declared]}, but its settings require ${[...wanted]}`]
  })
}

/**
 * The policies must allow the connections that settings, routes, Prometheus and `parley status` require, and no
 * others to HTTP ports or out of a pod. `egress` is the chart's value `networkPolicy.egress`.
 */
export function problemsOfNetwork(objects, { enabled, httpFrom, egress }) {
  if (!enabled) return []
  const network = new Network(objects)
  const problems = []
  const must = (holds, problem) => holds || problems.push(`NetworkPolicies: ${problem}`)
  for (const pod of network.pods) must(network.isClosed(pod), `anybody may connect to ${nameOf(pod)}`)
  const processes = network.pods.filter((pod) => network.ports(pod).length > 0)
  for (const to of processes) {
    const name = nameOf(to)
    const callers = processes.filter((from) => network.deployablesCalledBy(from).includes(name)).map(nameOf)
    const allowed = network.allowed(to, 'http')
    for (const from of processes) {
      const [may, does] = [allowed.pods.includes(nameOf(from)), callers.includes(nameOf(from))]
      must(may || allowed.everybody || !does, `${nameOf(from)} needs to connect to ${name}, but may not`)
      must(does || !may, `${nameOf(from)} may connect to ${name}, but does not need to`)
      if (!egress.enabled) continue
      must(network.egressAllows(from, to, 'http') === does, `the egress rule from ${nameOf(from)} to ${name} is wrong`)
      const callsStatus = nameOf(from) === statusCaller
      must(
        network.egressAllows(from, to, 'internal') === callsStatus,
        `the egress rule from ${nameOf(from)} to ${name} for parley status is wrong`,
      )
    }
    const isPublic = name === 'gateway' || network.routed.includes(name)
    const isOpen = httpFrom.length > 0 ? httpFrom.every((peer) => network.admits(to, 'http', peer)) : allowed.everybody
    const mayBeOpen = isPublic || (httpFrom.length > 0 && network.ports(to).includes('http') && name !== 'video-worker')
    must(isOpen || !isPublic, `clients may not connect to ${name}`)
    must(mayBeOpen || !isOpen, `clients may connect to ${name}`)
    const readers = network.rules(to, 'internal').flatMap((from) => from ?? [{}])
    must(readers.length > 0, `Prometheus may not read the metrics of ${name}`)
    const statusMayConnect = network.allowed(to, 'internal').pods.includes(statusCaller) || readers.some(isWholeCluster)
    must(statusMayConnect || readers.length === 0, `parley status in ${statusCaller} cannot connect to ${name}`)
  }
  return [...problems, ...(egress.enabled ? problemsOfEgress(network, egress) : [])]
}

/** Each deployable may open exactly the outgoing connections that follow from the manifest. */
function problemsOfEgress(network, egress) {
  const known = Object.keys(egress).filter((name) => Array.isArray(egress[name]) && egress[name].length > 0)
  return deployableNames.flatMap((name) => {
    const pod = network.pods.find((each) => nameOf(each) === name)
    if (!pod) return [`${name} is not in the chart: run pnpm check-deploy --write with helm on PATH`]
    const { database, reaches = [], secrets = [] } = propertiesOf(name)
    const collector = pod.spec.containers[0].env.some((each) => /^OTEL_EXPORTER_OTLP_.*ENDPOINT$/.test(each.name))
    const wanted = [
      ...['dns', 'nats', ...(database ? ['database'] : []), ...(collector ? ['collector'] : [])],
      ...(secrets.includes('PARLEY_REDIS_URL') ? ['redis'] : []),
      ...reaches.filter((each) => known.includes(each)),
    ]
    const found = known.filter((each) => network.egress(pod).some(({ to }) => isDeepStrictEqual(to, egress[each])))
    const dns = network.egress(pod).find(({ to }) => isDeepStrictEqual(to, egress.dns))
    const ports = egress.dnsPorts.flatMap((port) => ['UDP', 'TCP'].map((protocol) => ({ port, protocol })))
    return [
      ...(found.toSorted().join() === wanted.toSorted().join()
        ? []
        : [`NetworkPolicies: ${name} may connect to ${found}, but should be allowed ${wanted}`]),
      ...(isDeepStrictEqual(dns?.ports, ports) ? [] : [`NetworkPolicies: ${name} may not use all dnsPorts`]),
    ]
  })
}

class Network {
  constructor(objects) {
    const of = (...kinds) => objects.filter(({ kind }) => kinds.includes(kind))
    this.policies = of('NetworkPolicy').map(({ spec }) => spec)
    this.services = of('Service')
    this.pods = [...of('Deployment', 'Job').map(({ spec }) => spec.template), ...of('Pod')]
    const backends = [
      ...of('Ingress').flatMap(({ spec }) =>
        spec.rules.flatMap(({ http }) => http.paths.map((path) => path.backend.service.name)),
      ),
      ...of('HTTPRoute').flatMap(({ spec }) => spec.rules.flatMap((rule) => rule.backendRefs.map(({ name }) => name))),
    ]
    this.routed = backends.flatMap((name) => this.behind(name))
  }

  ports({ spec }) {
    return spec.containers.flatMap(({ ports = [] }) => ports.map(({ name }) => name))
  }

  behind(host) {
    return this.services.filter(({ metadata }) => metadata.name === host).map(({ spec }) => spec.selector[component])
  }

  deployablesCalledBy({ spec }) {
    const urls = spec.containers[0].env.filter(({ name }) => name.endsWith('_URLS')).map(({ value }) => value)
    return urls.flatMap((value) => this.behind(new URL(value).hostname))
  }

  policiesFor(pod, type) {
    return this.policies.filter(
      ({ policyTypes, podSelector }) => policyTypes.includes(type) && selects(podSelector, pod.metadata.labels),
    )
  }

  isClosed(pod) {
    return this.policiesFor(pod, 'Ingress').length > 0
  }

  rules(pod, port) {
    const rules = this.policiesFor(pod, 'Ingress').flatMap(({ ingress }) => ingress)
    return rules.filter(({ ports }) => ports.some((each) => each.port === port)).map(({ from }) => from)
  }

  allowed(pod, port) {
    const rules = this.rules(pod, port)
    const peers = rules.flatMap((from) => from ?? []).filter((peer) => peer.podSelector && !peer.namespaceSelector)
    const matching = this.pods.filter(({ metadata }) =>
      peers.some((peer) => selects(peer.podSelector, metadata.labels)),
    )
    return { everybody: rules.includes(undefined), pods: matching.map(nameOf) }
  }

  admits(pod, port, peer) {
    return this.rules(pod, port).some((from) => !from || from.some((each) => isDeepStrictEqual(each, peer)))
  }

  egress(pod) {
    return this.policiesFor(pod, 'Egress').flatMap(({ egress }) => egress)
  }

  egressAllows(from, to, port) {
    const peers = this.egress(from)
      .filter(({ ports }) => !ports || ports.some((each) => each.port === port))
      .flatMap((rule) => rule.to)
      .filter((peer) => peer.podSelector && !peer.namespaceSelector)
    return peers.some((peer) => selects(peer.podSelector, to.metadata.labels))
  }
}

function selects({ matchLabels = {}, matchExpressions = [] }, labels) {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values }) => operator === 'In' && values.includes(labels[key]))
  )
}
