import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FleetProcess } from '@parley/local'
import {
  type Child,
  findExecutable,
  freePort,
  installMissing,
  startChild,
  whenReady,
} from '@parley/local/infrastructure'
import { eventually } from '@parley/testkit'

export type FoundPrometheus = { path: string } | { reason: string }

/** Installs a missing Prometheus where this is possible. */
export async function findPrometheus(): Promise<FoundPrometheus> {
  try {
    await installMissing(['prometheus'])
  } catch (error) {
    const [reason = 'no reason'] = error instanceof Error ? error.message.split('\n') : []
    return { reason }
  }
  const path = findExecutable('prometheus')
  return path === undefined ? { reason: 'the package prometheus contains no command of that name' } : { path }
}

export type ScrapedJob = { job: string; targets: string[] }

export const jobsOf = (services: readonly FleetProcess[]): ScrapedJob[] =>
  [...new Set(services.map(({ name }) => name))].map((job) => ({
    job,
    targets: services.filter(({ name }) => name === job).map(({ internalPort }) => `127.0.0.1:${internalPort}`),
  }))

const scrapeSeconds = 1

export type Series = { labels: Record<string, string>; points: (readonly [seconds: number, value: number])[] }
type RawSeries = { metric: Record<string, string>; values: [seconds: number, value: string][] }

/** Replaces the file in one step: Prometheus reads it whenever it changes. */
function writeTargets(file: string, jobs: ScrapedJob[]): void {
  writeFileSync(`${file}.new`, JSON.stringify(jobs.map(({ job, targets }) => ({ targets, labels: { job } }))))
  renameSync(`${file}.new`, file)
}

export class Prometheus implements AsyncDisposable {
  readonly #url: string
  readonly #child: Child
  readonly #targets: string
  readonly #startedAt = Date.now() / 1000

  private constructor(url: string, child: Child, targets: string) {
    this.#url = url
    this.#child = child
    this.#targets = targets
  }

  static async start(path: string, folder: string, jobs: ScrapedJob[], ruleFiles: string[]): Promise<Prometheus> {
    const port = await freePort()
    const interval = `${scrapeSeconds}s`
    const config = join(folder, 'prometheus.json')
    const targets = join(folder, 'targets.json')
    writeTargets(targets, jobs)
    // JSON is YAML.
    const content = {
      global: { scrape_interval: interval, scrape_timeout: interval, evaluation_interval: interval },
      rule_files: ruleFiles,
      scrape_configs: [{ job_name: 'fleet', file_sd_configs: [{ files: [targets], refresh_interval: '5s' }] }],
    }
    writeFileSync(config, JSON.stringify(content))
    const url = `http://127.0.0.1:${port}`
    const child = await startChild({
      ...{ name: 'Prometheus', command: path, cwd: folder },
      args: [
        `--config.file=${config}`,
        `--storage.tsdb.path=${join(folder, 'prometheus')}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      ...{ logFile: join(folder, 'prometheus.log'), pidFile: join(folder, 'prometheus.pid'), stopSignals: ['SIGTERM'] },
    })
    await whenReady(child, 'Prometheus', () =>
      fetch(`${url}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      ),
    )
    return new Prometheus(url, child, targets)
  }

  scrape(jobs: ScrapedJob[]): void {
    writeTargets(this.#targets, jobs)
  }

  /** One series for each set of labels, since the start. */
  async seriesOf(query: string): Promise<Series[]> {
    const range = { start: String(this.#startedAt), end: String(Date.now() / 1000), step: String(scrapeSeconds) }
    const { result } = await this.#get<{ result: RawSeries[] }>('query_range', { query, ...range })
    return result.map(({ metric, values }) => ({
      labels: metric,
      points: values.map(([at, value]) => [at, Number(value)] as const).filter(([, value]) => Number.isFinite(value)),
    }))
  }

  async waitUntilAboveZero(query: string, timeoutMs = 60_000): Promise<void> {
    const assertAboveZero = async () => {
      const { result } = await this.#get<{ result: { value: [number, string] }[] }>('query', { query })
      if (!result.some(({ value }) => Number(value[1]) > 0)) throw new Error(`not above 0: ${query}`)
    }
    await eventually(assertAboveZero, { timeoutMs })
  }

  async waitUntilFiring(alert: string, timeoutMs = 120_000): Promise<void> {
    await this.waitUntilAboveZero(`ALERTS{alertname="${alert}",alertstate="firing"}`, timeoutMs)
  }

  /**
   * Waits until the condition of an alert has not been met for fifteen seconds and the last scrape of every process
   * succeeded: a process that has just started has no series yet.
   */
  async waitUntilResolved(alert: string, timeoutMs = 180_000): Promise<void> {
    const assertEnded = async () => {
      const query = `max_over_time(ALERTS{alertname="${alert}"}[15s]) or up == 0`
      const { result } = await this.#get<{ result: unknown[] }>('query', { query })
      if (result.length > 0) throw new Error(`${alert} has not ended`)
    }
    await eventually(assertEnded, { timeoutMs })
  }

  async #get<T>(what: string, parameters: Record<string, string>): Promise<T> {
    const response = await fetch(`${this.#url}/api/v1/${what}?${new URLSearchParams(parameters)}`)
    const { status, data, error } = (await response.json()) as { status: string; data: T; error?: string }
    if (status !== 'success') throw new Error(`Prometheus refuses ${parameters['query']}: ${error}`)
    return data
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child.stop()
  }
}
