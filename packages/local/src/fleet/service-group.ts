import { join } from 'node:path'
import type { DataDir } from './data-dir.ts'
import { noteworthy } from './log-lines.ts'
import type { FleetProcess } from './ready-file.ts'
import type { ServiceDefinition } from './service-list.ts'
import type { Serving } from './service-process.ts'
import { SupervisedService } from './supervised-service.ts'

/** Longer than a process takes to drain and, failing that, to end itself. */
const stopPatienceMs = 25_000

/** The services of a group and their options. */
export type ServiceGroupOptions = {
  services: ServiceDefinition[]
  replicas: number
  dir: DataDir
  /** Port of the first process of a service that proxies. */
  publicPort: number
  environment: (service: ServiceDefinition) => NodeJS.ProcessEnv
  say: (line: string) => void
  onChange: () => void
}

type Member = { service: ServiceDefinition; label: string; supervised: SupervisedService }

/** Every process of every service of a fleet. */
export class ServiceGroup {
  readonly #options: ServiceGroupOptions
  readonly #members: Member[] = []

  constructor(options: ServiceGroupOptions) {
    this.#options = options
  }

  /** Starts all processes, proxying ones last. Resolves when each is serving. */
  async start(): Promise<void> {
    const { services } = this.#options
    const first = services.filter(({ proxies }) => !proxies).flatMap((service) => this.#add(service))
    // A refused configuration of any service ends the start. No service waits for others that it does not need yet.
    const others = Promise.all(first.map(({ supervised }) => supervised.serving()))
    const listed = first.filter(({ service }) => service.listedAs !== undefined)
    await Promise.race([others, Promise.all(listed.map(({ supervised }) => supervised.serving()))])
    const last = services.filter(({ proxies }) => proxies).flatMap((service) => this.#add(service))
    await Promise.all([others, ...last.map(({ supervised }) => supervised.serving())])
  }

  /** Processes that serve now. */
  processes(): FleetProcess[] {
    return this.#members.flatMap(({ service, supervised }) => {
      const { current } = supervised
      return current === undefined ? [] : [{ name: service.name, ...current }]
    })
  }

  /** Every process that there shall be: its name for people, and its internal port once it serves. */
  asked(): Array<{ label: string; internalPort: () => number | undefined }> {
    const { services, replicas } = this.#options
    const labels = services.flatMap(({ name }) => Array.from({ length: replicas }, (_, index) => labelOf(name, index)))
    return labels.map((label) => ({
      label,
      internalPort: () => this.#members.find((member) => member.label === label)?.supervised.current?.internalPort,
    }))
  }

  /** The process of a service with that index, from 0. Throws when there is none. */
  member(name: string, index = 0): SupervisedService {
    const member = this.#members.filter(({ service }) => service.name === name)[index]
    if (member === undefined) throw new Error(`this fleet has no process ${index} of ${name}`)
    return member.supervised
  }

  /** Drains the edge, then the rest. */
  async stop(): Promise<void> {
    const drain = (edge: boolean) =>
      Promise.all(
        this.#members
          .filter(({ service }) => (service.edge ?? false) === edge)
          .map(({ supervised }) => supervised.stop(stopPatienceMs)),
      )
    await drain(true)
    await drain(false)
  }

  /** Sends a signal to every process. */
  kill(signal: NodeJS.Signals): void {
    for (const { supervised } of this.#members) supervised.kill(signal)
  }

  #add(service: ServiceDefinition): Member[] {
    const added = Array.from({ length: this.#options.replicas }, (_, index) => this.#member(service, index))
    this.#members.push(...added)
    return added
  }

  #member(service: ServiceDefinition, index: number): Member {
    const { dir, say, onChange } = this.#options
    const number = index === 0 ? '' : `-${index + 1}`
    const label = labelOf(service.name, index)
    const supervised = new SupervisedService({
      label,
      main: service.main,
      env: (before) => this.#environment(service, index, before),
      logFile: join(dir.logs, `${service.name}${number}.log`),
      pidFile: join(dir.run, `${service.name}${number}.pid`),
      say,
      onLine: (line) => {
        const note = noteworthy(label, line)
        if (note !== undefined) say(note)
      },
      onChange,
    })
    return { service, label, supervised }
  }

  /** A process that is started again keeps its port: others know it. */
  #environment(service: ServiceDefinition, index: number, before: Serving | undefined): NodeJS.ProcessEnv {
    const env = this.#options.environment(service)
    const known = before?.url === undefined ? undefined : new URL(before.url).port
    const first = service.proxies && index === 0 ? this.#options.publicPort : 0
    for (const variable of service.portVariables ?? []) env[variable] = known ?? String(first)
    if (service.proxies) Object.assign(env, this.#lists())
    return env
  }

  #lists(): NodeJS.ProcessEnv {
    const lists: Record<string, string> = {}
    for (const { service, supervised } of this.#members) {
      const url = supervised.lastServing?.url
      if (service.listedAs === undefined || url === undefined) continue
      const listed = lists[service.listedAs]
      lists[service.listedAs] = listed === undefined ? url : `${listed},${url}`
    }
    return lists
  }
}

function labelOf(service: string, index: number): string {
  return index === 0 ? service : `${service} (${index + 1})`
}
