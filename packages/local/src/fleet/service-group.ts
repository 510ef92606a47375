import { join } from 'node:path'
import { freePort, whyPortNotFree } from '../infrastructure/index.ts'
import type { DataDir } from './data-dir.ts'
import { formatForTerminal } from './log-lines.ts'
import { type FleetProcess, isProcessOf } from './status-file.ts'
import type { ServiceDefinition } from './service-list.ts'
import type { Serving } from './service-process.ts'
import { SupervisedService } from './supervised-service.ts'

/** Longer than a process needs to drain or, if it cannot drain, to exit by itself. */
const stopTimeoutMs = 25_000
const maxPortAttempts = 3

export type ServiceGroupOptions = {
  services: ServiceDefinition[]
  replicas: number
  dir: DataDir
  publicPort: number
  environment: (service: ServiceDefinition) => NodeJS.ProcessEnv
  say: (line: string) => void
  onChange: () => void
}

class PortTaken extends Error {}

type Member = { service: ServiceDefinition; index: number; label: string; supervised: SupervisedService }

export class ServiceGroup {
  readonly #options: ServiceGroupOptions
  readonly #members: Member[] = []
  /** Removed processes that are still draining. */
  readonly #draining = new Set<Member>()
  readonly #ports = new Map<string, number>()
  #stopped = false

  constructor(options: ServiceGroupOptions) {
    this.#options = options
  }

  /**
   * Resolves when each process is serving. If a chosen port is taken before its process listens, all processes are
   * started again with other ports, because some have that port in their environment. Rejects if a process rejects its
   * configuration, if the group is stopped, or if a port was taken in each of three attempts.
   */
  async start(): Promise<void> {
    for (let left = maxPortAttempts - 1; ; left--) {
      try {
        return await this.#startAll()
      } catch (error) {
        if (!(error instanceof PortTaken) || left === 0 || this.#stopped) throw error
        this.#options.say(`${error.message}; restarting the services with other ports`)
        await this.#drain()
        this.#members.length = 0
      }
    }
  }

  async #startAll(): Promise<void> {
    const { services, replicas } = this.#options
    for (const { name, listedAs } of services)
      for (let index = 0; listedAs !== undefined && index < replicas; index++)
        this.#ports.set(labelOf(name, index), await freePort())
    if (this.#stopped) throw new Error('the services were stopped')
    this.#members.push(...services.flatMap((service) => this.#createReplicas(service)))
    await Promise.all(this.#members.map(({ supervised }) => supervised.waitUntilServing()))
  }

  processes(): FleetProcess[] {
    return this.#members.flatMap(({ service, supervised }) => {
      const { current } = supervised
      if (current === undefined) return []
      return [{ ...namesOf(service), ...current }]
    })
  }

  expectedProcesses(): Array<{ label: string; internalPort: () => number | undefined }> {
    const { services, replicas } = this.#options
    const labels = services.flatMap(({ name }) => Array.from({ length: replicas }, (_, index) => labelOf(name, index)))
    return labels.map((label) => ({
      label,
      internalPort: () => this.#members.find((member) => member.label === label)?.supervised.current?.internalPort,
    }))
  }

  member(name: string, index = 0): SupervisedService {
    const member = this.#members.filter(({ service }) => isProcessOf(name, namesOf(service)))[index]
    if (member === undefined) throw new Error(`this fleet has no process ${index} of ${name}`)
    return member.supervised
  }

  /**
   * Starts or drains processes until the service has `count`; the newest are drained first. Resolves when the started
   * processes serve, or were removed by a later call, and the drained ones have ended. Gateways forward only to the
   * processes with which the fleet started.
   */
  async scale(name: string, count: number): Promise<void> {
    const { services, onChange } = this.#options
    const service = services.find((one) => one.name === name)
    if (service === undefined || count < 1) throw new Error(`${name} cannot have ${count} processes`)
    const isOfService = (member: Member) => member.service === service
    const own = this.#members.filter(isOfService)
    const draining = own.slice(count)
    for (const member of draining) {
      this.#members.splice(this.#members.indexOf(member), 1)
      this.#draining.add(member)
    }
    if (draining.length > 0) onChange()
    const taken = new Set([...own, ...this.#draining].filter(isOfService).map(({ index }) => index))
    const free = Array.from({ length: count + taken.size }, (_, index) => index).filter((index) => !taken.has(index))
    const added = free.slice(0, Math.max(0, count - own.length)).map((index) => this.#createMember(service, index))
    this.#members.push(...added)
    await Promise.all([
      ...added.map((member) =>
        member.supervised.waitUntilServing().catch((error: unknown) => {
          if (this.#members.includes(member)) throw error
        }),
      ),
      ...draining.map(async (member) => {
        await member.supervised.stop(stopTimeoutMs)
        this.#draining.delete(member)
      }),
    ])
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#drain()
  }

  async #drain(): Promise<void> {
    const drain = (edge: boolean) =>
      Promise.all(
        [...this.#members, ...this.#draining]
          .filter(({ service }) => (service.edge ?? false) === edge)
          .map(({ supervised }) => supervised.stop(stopTimeoutMs)),
      )
    await drain(true)
    await drain(false)
  }

  kill(signal: NodeJS.Signals): void {
    for (const { supervised } of [...this.#members, ...this.#draining]) supervised.kill(signal)
  }

  #createReplicas(service: ServiceDefinition): Member[] {
    return Array.from({ length: this.#options.replicas }, (_, index) => this.#createMember(service, index))
  }

  #createMember(service: ServiceDefinition, index: number): Member {
    const { dir, say, onChange } = this.#options
    const number = index === 0 ? '' : `-${index + 1}`
    const label = labelOf(service.name, index)
    const supervised = new SupervisedService({
      label,
      main: service.main,
      env: (last) => this.#environment(service, index, last),
      logFile: join(dir.logs, `${service.name}${number}.log`),
      pidFile: join(dir.run, `${service.name}${number}.pid`),
      say,
      whyUnstartable: () => this.#whyPortTaken(label),
      onLine: (line) => {
        const note = formatForTerminal(label, line)
        if (note !== undefined) say(note)
      },
      onChange,
    })
    return { service, index, label, supervised }
  }

  async #whyPortTaken(label: string): Promise<PortTaken | undefined> {
    const port = this.#ports.get(label)
    if (port === undefined || (await whyPortNotFree(port, '127.0.0.1')) !== 'EADDRINUSE') return undefined
    return new PortTaken(`port ${port} of 127.0.0.1, chosen for ${label}, has been taken by another program`)
  }

  /** A restarted process keeps its port, because other processes use it. */
  #environment(service: ServiceDefinition, index: number, last: Serving | undefined): NodeJS.ProcessEnv {
    const env = this.#options.environment(service)
    const lastPort = last?.url === undefined ? undefined : new URL(last.url).port
    const chosen = this.#ports.get(labelOf(service.name, index))
    const first = service.proxies && index === 0 ? this.#options.publicPort : (chosen ?? 0)
    for (const variable of service.portVariables ?? []) env[variable] = lastPort ?? String(first)
    if (service.proxies) Object.assign(env, this.#addressLists())
    return env
  }

  #addressLists(): NodeJS.ProcessEnv {
    const { services, replicas } = this.#options
    const urls = (name: string) =>
      Array.from({ length: replicas }, (_, index) => `http://127.0.0.1:${this.#ports.get(labelOf(name, index))}`)
    return Object.fromEntries(
      services.flatMap(({ name, listedAs }) => (listedAs === undefined ? [] : [[listedAs, urls(name).join(',')]])),
    )
  }
}

function namesOf({ name, holds }: ServiceDefinition): Pick<FleetProcess, 'name' | 'holds'> {
  return { name, ...(holds && { holds: holds.map((deployable) => deployable.name) }) }
}

function labelOf(service: string, index: number): string {
  return index === 0 ? service : `${service} (${index + 1})`
}
