import { writeFileSync } from 'node:fs'
import type { CpuTime } from './load/cpu-time.ts'

/**
 * `floor`: the result of the same run with which the figure is compared. `ratio`: the value divided by the floor.
 * `budget`: the maximum of the value. `processes`, only for a CPU time: the part of each process, by name. All but the
 * ratio are in the unit of the value.
 */
export type Figure = {
  name: string
  value: number
  unit: string
  floor: number | null
  ratio: number | null
  budget: number | null
  processes?: Record<string, number>
}

type Comparison = { floor?: number | undefined; budget?: number | undefined }

/** Up to this multiple of its budget a figure does not count as over budget: machines and their load differ. */
const tolerance = 4 / 3

export class Report {
  readonly #figures: Figure[] = []

  add(name: string, value: number, unit: string, floor?: number, budget?: number): void {
    print(this.record(name, value, unit, { floor, budget }))
  }

  /** Records the part of each process too, and prints the sum. */
  addCpu(name: string, cpu: CpuTime, compared: Comparison = {}): void {
    print(this.recordCpu(name, cpu, compared))
  }

  record(name: string, value: number, unit: string, { floor, budget }: Comparison = {}): Figure {
    const figure: Figure = {
      name,
      value: round(value),
      unit,
      floor: floor === undefined ? null : round(floor),
      ratio: floor === undefined ? null : round(value / floor),
      budget: budget === undefined ? null : round(budget),
    }
    this.#figures.push(figure)
    return figure
  }

  recordCpu(name: string, { ms, processes }: CpuTime, compared: Comparison = {}): Figure {
    const parts: Record<string, number> = {}
    for (const [process, part] of Object.entries(processes)) parts[process] = round(part)
    return Object.assign(this.record(name, ms, 'ms', compared), { processes: parts })
  }

  overBudget(): Figure[] {
    return this.#figures.filter(({ value, budget }) => budget !== null && value > budget * tolerance)
  }

  write(file: string | undefined): void {
    if (file) writeFileSync(file, `${JSON.stringify(this.#figures, undefined, 2)}\n`)
  }
}

function print({ name, value, unit, floor, ratio, budget }: Figure): void {
  const comparison = ratio === null ? '' : `   floor ${floor} ${unit}   ratio ${ratio}`
  const limit = budget === null ? '' : `   budget ${budget} ${unit}`
  console.log(`${name.padEnd(58)} ${String(value).padStart(10)} ${unit}${comparison}${limit}`)
}

const round = (value: number): number => Number(value.toPrecision(4))
