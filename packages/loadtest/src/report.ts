import { writeFileSync } from 'node:fs'
import type { CpuTime } from './load/cpu-time.ts'

/**
 * One figure. `floor`: the result with which it is compared, measured in the same run. `budget`: its maximum. Only for a
 * CPU time, `processes`: the part of each process, by name. All of them are in the unit of the value.
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

/** Collects figures, prints them at once if asked to, and writes them all as JSON. */
export class Report {
  readonly #figures: Figure[] = []

  /** Records a figure and prints it. */
  add(name: string, value: number, unit: string, floor?: number, budget?: number): void {
    print(this.record(name, value, unit, { floor, budget }))
  }

  /** Records the CPU time of a call, socket or delivery with the part of each process, and prints the sum. */
  addCpu(name: string, cpu: CpuTime, compared: Comparison = {}): void {
    print(this.recordCpu(name, cpu, compared))
  }

  /** Records a figure without printing it. */
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

  /** Records a CPU time without printing it. */
  recordCpu(name: string, { ms, processes }: CpuTime, compared: Comparison = {}): Figure {
    const parts: Record<string, number> = {}
    for (const [process, part] of Object.entries(processes)) parts[process] = round(part)
    return Object.assign(this.record(name, ms, 'ms', compared), { processes: parts })
  }

  /** Returns the figures that exceed their budget by more than a third. */
  overBudget(): Figure[] {
    return this.#figures.filter(({ value, budget }) => budget !== null && value > budget * tolerance)
  }

  /** Writes all figures to this file as JSON; without a file, does nothing. */
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
