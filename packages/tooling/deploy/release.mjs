import { problemsOfDoctor } from './check-doctor.mjs'
import { problemsOfNetwork } from './check-network.mjs'
import { problemsOfRoutes } from './check-routes.mjs'
import { isSubset, problemsOfSelectors } from './check-selectors.mjs'
import { problemsOfVideoWorker } from './check-video-worker.mjs'
import { deployables, hasDatabase, videoWorker } from './image-files.mjs'
import { problemsOfObject } from './kubernetes.mjs'
import { problemsOfAutoscalers } from './scaling.mjs'
import { problemsOfEnvironment, problemsOfMemory, secretSettings } from './settings.mjs'

const secretNames = new Set(secretSettings.flatMap(({ names }) => names))
const component = 'app.kubernetes.io/component'

export async function problemsOfRelease(objects, values) {
  const release = new Release(objects)
  for (const object of objects) release.problems.push(...(await problemsOfObject(object)))
  await release.checkDeployments(deployables)
  await release.checkVideoWorker()
  await release.checkMigrations(deployables.filter(hasDatabase))
  release.problems.push(...problemsOfDoctor(objects, deployables), ...problemsOfAutoscalers(objects))
  release.problems.push(...problemsOfNetwork(objects, values.networkPolicy), ...problemsOfRoutes(objects))
  release.problems.push(...problemsOfSelectors(objects), ...problemsOfVideoWorker(objects))
  release.checkReferences()
  return release.problems
}

class Release {
  problems = []

  constructor(objects) {
    this.objects = objects
    this.pods = this.all('Deployment').map(({ spec }) => spec.template)
    this.everyPod = [...this.pods, ...this.all('Job').map(({ spec }) => spec.template), ...this.all('Pod')]
    this.toml = this.all('ConfigMap')[0]?.data['parley.toml']
  }

  all(kind) {
    return this.objects.filter((object) => object.kind === kind)
  }

  has(kind, name) {
    return this.all(kind).some(({ metadata }) => metadata.name === name)
  }

  must(holds, problem) {
    if (!holds) this.problems.push(problem)
  }

  async checkDeployments(names) {
    const services = this.all('Deployment').filter(({ metadata }) => metadata.labels[component] !== 'video-worker')
    const found = services.map(({ metadata }) => metadata.labels[component])
    this.must(
      found.sort().join() === names.sort().join(),
      `the deployments are ${found.join(', ')}, not ${names.join(', ')}`,
    )
    for (const { metadata, spec } of services) {
      const where = `Deployment ${metadata.name}`
      const name = metadata.labels[component]
      const { containers, ...pod } = spec.template.spec
      const [container] = containers
      const env = await this.checkProcess(where, name, `services/${name}/dist/main.js`, spec.template.spec, this.toml)

      if (name === 'uploads')
        this.problems.push(...problemsOfMemory(where, name, container.resources.limits.memory, env))
      this.must(isSubset(spec.selector.matchLabels, spec.template.metadata.labels), `${where}: selects other pods`)
      this.must(
        this.matching(spec.selector.matchLabels).length === 1,
        `${where}: also selects pods of another deployment`,
      )
      const ports = Object.fromEntries(container.ports.map((port) => [port.name, String(port.containerPort)]))
      this.must(ports.internal === env.PARLEY_INTERNAL_PORT, `${where}: the internal port is not PARLEY_INTERNAL_PORT`)
      this.must(env.PARLEY_INTERNAL_HOST === '0.0.0.0', `${where}: the internal port cannot be reached from outside`)
      const own = Object.entries(env).find(([key]) => key.endsWith('_PORT') && key !== 'PARLEY_INTERNAL_PORT')?.[1]
      this.must(ports.http === own, `${where}: the HTTP port is ${own}, not ${ports.http}`)
      for (const [probe, path] of Object.entries({ liveness: '/healthz', startup: '/healthz', readiness: '/readyz' })) {
        const { httpGet } = container[`${probe}Probe`]
        this.must(
          httpGet.path === path && httpGet.port === 'internal',
          `${where}: the ${probe} probe does not request ${path} of the internal port`,
        )
      }
      const wait = Number(container.lifecycle?.preStop.exec.command[1] ?? 0)
      this.must(!ports.http || wait > 0, `${where}: load balancers have no time to notice that a pod is ending`)
      const window = seconds(env.PARLEY_REALTIME_DRAIN_WINDOW) + seconds(env.PARLEY_DRAIN_TIMEOUT) + 5
      this.must(pod.terminationGracePeriodSeconds > wait + window, `${where}: is killed before it has drained`)
      const priority = pod.priorityClassName
      const ranked = !priority || priority.startsWith('system-') || this.has('PriorityClass', priority)
      this.must(ranked, `${where}: there is no PriorityClass ${priority}`)
      this.must(this.accountExists(pod.serviceAccountName), `${where}: has no service account`)
      for (const { configMap } of pod.volumes) {
        this.must(!configMap || this.has('ConfigMap', configMap.name), `${where}: mounts an unknown configuration`)
      }
    }
  }

  async checkVideoWorker() {
    const name = 'video-worker'
    const worker = this.all('Deployment').find(({ metadata }) => metadata.labels[component] === name)
    if (!worker) return
    const where = `Deployment ${worker.metadata.name}`
    const { spec } = worker.spec.template
    const env = await this.checkProcess(where, name, videoWorker, spec, this.toml)
    this.problems.push(...problemsOfMemory(where, name, spec.containers[0].resources.limits.memory, env))
  }

  async checkMigrations(names) {
    const jobs = this.all('Job').filter(({ metadata }) => metadata.labels[component] !== 'doctor')
    const found = jobs.map(({ spec }) => spec.template.metadata.labels[component].replace('migrate-', ''))
    this.must(
      found.sort().join() === names.sort().join(),
      `the migrations are ${found.join(', ')}, not ${names.join(', ')}`,
    )
    for (const { metadata, spec } of jobs) {
      const where = `Job ${metadata.name}`
      const name = metadata.labels[component].replace('migrate-', '')
      await this.checkProcess(where, name, `services/${name}/dist/migrate.js`, spec.template.spec)
      const hook = metadata.annotations['helm.sh/hook']
      this.must(hook === 'pre-install,pre-upgrade', `${where}: does not run before the services`)
      const { serviceAccountName, volumes } = spec.template.spec
      const early = serviceAccountName === undefined && volumes.every(({ configMap }) => configMap === undefined)
      this.must(early, `${where}: needs an object that does not exist yet`)
      const own = spec.template.metadata.labels
      const selectors = this.all('Deployment').map((deployment) => deployment.spec.selector.matchLabels)
      this.must(!selectors.some((selector) => isSubset(selector, own)), `${where}: belongs to a deployment`)
    }
  }

  /** Returns the environment of the process, with placeholders for secrets. */
  async checkProcess(where, name, program, pod, toml) {
    const [container] = pod.containers
    this.must(container.args.join() === program, `${where}: runs ${container.args.join()}`)
    // With service links Kubernetes itself sets PARLEY_REALTIME_PORT and similar variables.
    this.must(pod.enableServiceLinks === false, `${where}: lets Kubernetes set PARLEY_ variables`)
    this.must(pod.automountServiceAccountToken === false, `${where}: gets a token for Kubernetes`)
    const { securityContext } = container
    const locked =
      pod.securityContext.runAsNonRoot &&
      pod.securityContext.seccompProfile?.type === 'RuntimeDefault' &&
      securityContext.readOnlyRootFilesystem &&
      securityContext.allowPrivilegeEscalation === false &&
      securityContext.capabilities.drop.includes('ALL')
    this.must(locked, `${where}: is not locked down (securityContext)`)
    const names = container.env.map((variable) => variable.name)
    this.must(new Set(names).size === names.length, `${where}: sets a variable twice`)
    const env = {}
    for (const variable of container.env) {
      const secret = variable.valueFrom?.secretKeyRef
      this.must(
        secret || !secretNames.has(variable.name),
        `${where}: ${variable.name} is a secret, but not a reference to one`,
      )
      env[variable.name] = secret ? placeholderFor(variable.name) : variable.value
    }
    const user = name === 'video-worker' ? undefined : name
    this.must(
      env.PARLEY_SERVICE === name && env.PARLEY_NATS_USER === user,
      `${where}: has another PARLEY_SERVICE or user of the bus`,
    )
    this.problems.push(...(await problemsOfEnvironment(where, name, env, toml)))
    return env
  }

  accountExists(name) {
    return name === 'default' || this.has('ServiceAccount', name)
  }

  matching(selector) {
    return this.pods.filter(({ metadata }) => isSubset(selector, metadata.labels))
  }

  checkReferences() {
    for (const { metadata, spec } of this.all('Service')) {
      this.checkPorts(
        `Service ${metadata.name}`,
        spec.selector,
        spec.ports.map(({ targetPort }) => targetPort),
      )
    }
    for (const { metadata, spec } of this.all('PodMonitor')) {
      const ports = spec.podMetricsEndpoints.map(({ port }) => port)
      this.checkPorts(`PodMonitor ${metadata.name}`, spec.selector.matchLabels, ports)
      this.must(spec.jobLabel === component, `PodMonitor ${metadata.name}: job does not name the deployable`)
    }
    for (const { metadata, spec } of this.all('NetworkPolicy')) {
      const ports = (spec.ingress ?? []).flatMap((rule) => rule.ports.map(({ port }) => port))
      if (ports.length > 0) this.checkPorts(`NetworkPolicy ${metadata.name}`, spec.podSelector.matchLabels, ports)
    }
    for (const { metadata, spec } of this.all('PodDisruptionBudget')) {
      const where = `PodDisruptionBudget ${metadata.name}`
      this.checkPorts(where, spec.selector.matchLabels, [])
      const may = parseInt(spec.maxUnavailable, 10) > 0 && spec.unhealthyPodEvictionPolicy === 'AlwaysAllow'
      this.must(may, `${where}: blocks the drain of a node`)
    }
    for (const { metadata, spec } of this.all('Ingress')) {
      for (const { path, backend } of spec.rules.flatMap((rule) => rule.http.paths)) {
        const { name, port } = backend.service
        const service = this.all('Service').find((candidate) => candidate.metadata.name === name)
        const there = service?.spec.ports.some((candidate) => candidate.name === port.name)
        this.must(there, `Ingress ${metadata.name}: ${path} leads to ${name}:${port.name}, which does not exist`)
      }
    }
    const addresses = this.pods.flatMap(({ spec }) =>
      spec.containers[0].env.filter(({ name }) => name.endsWith('_URLS')),
    )
    for (const { name, value } of addresses) {
      const { hostname, port } = new URL(value)
      const service = this.all('Service').find((candidate) => candidate.metadata.name === hostname)
      const there = service?.spec.ports.some((candidate) => String(candidate.port) === port)
      this.must(there, `${name} points to ${hostname}:${port}, which does not exist`)
    }
    const name = this.all('ConfigMap')[0]?.metadata.name
    const direct = this.has('Ingress', name) || this.has('HTTPRoute', name)
    const others = ['PARLEY_GATEWAY_UPLOADS_URLS', 'PARLEY_VIDEO_WORKER_URLS']
    const paths = addresses.filter(({ name }) => !others.includes(name))
    this.must(
      direct || paths.length === 3,
      'without an ingress or a route, the gateway must forward the paths of assets, realtime and webhooks',
    )
  }

  checkPorts(where, selector, names) {
    const pods = this.everyPod.filter(({ metadata }) => isSubset(selector, metadata.labels))
    this.must(pods.length > 0, `${where}: selects no pods`)
    for (const name of names) {
      const without = pods.filter(({ spec }) => !spec.containers[0].ports?.some((port) => port.name === name))
      const components = without.map(({ metadata }) => metadata.labels[component])
      this.must(components.length === 0, `${where}: there is no port ${name} in ${components.join(', ')}`)
    }
  }
}

const seconds = (text = '0s') => Number(text.replace('s', ''))

function placeholderFor(name) {
  if (name.endsWith('DATABASE_URL')) return 'postgres://role:password@postgres/database'
  return name.endsWith('REDIS_URL') ? 'redis://redis:6379' : 'a-secret-of-more-than-32-characters'
}
