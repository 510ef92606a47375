import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { repositoryRoot, type FleetProcess } from '@parley/local'
import { requestInternal } from './processes.ts'

export type Sample = { series: string; labels: Record<string, string>; value: number }

export type DeclaredMetrics = {
  metrics: { name: string; prometheus: string; kind: string; series: string[]; labels: string[] }[]
  labels: { name: string; prometheus: string; values?: string[]; atMost?: number }[]
}

export function declaredMetrics(): DeclaredMetrics {
  const program = join(repositoryRoot(), 'packages/tooling/metrics-table.mjs')
  const printed = execFileSync(process.execPath, ['--no-warnings', program, '--json'], { encoding: 'utf8' })
  return JSON.parse(printed) as DeclaredMetrics
}

export async function scrape(process: FleetProcess): Promise<Sample[]> {
  const { text } = await requestInternal(process, '/metrics')
  return text.split('\n').flatMap((line) => {
    const [, series = '', labels = '', value] = /^([a-z]\w*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    return value === undefined ? [] : [{ series, labels: labelsIn(labels), value: Number(value) }]
  })
}

function labelsIn(text: string): Record<string, string> {
  return Object.fromEntries(
    Array.from(text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g), ([, name = '', value = '']) => [name, value]),
  )
}
