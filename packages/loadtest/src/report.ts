import { writeFileSync } from 'node:fs'

/** One figure; `floor` is the raw cost measured in the same run that it is compared with. */
export type Figure = { name: string; value: number; unit: string; floor: number | null; ratio: number | null }

/** Collects figures, prints them as they come, and writes them all as JSON. */
export class Report {
  readonly #figures: Figure[] = []

  add(name: string, value: number, unit: string, floor?: number): void {
    const figure = {
      name,
      value: round(value),
      unit,
      floor: floor === undefined ? null : round(floor),
      ratio: floor === undefined ? null : round(value / floor),
    }
    this.#figures.push(figure)
    const beside = figure.ratio === null ? '' : `   floor ${figure.floor} ${unit}   ratio ${figure.ratio}`
    console.log(`${name.padEnd(58)} ${String(figure.value).padStart(10)} ${unit}${beside}`)
  }

  write(file: string | undefined): void {
    if (file) writeFileSync(file, `${JSON.stringify(this.#figures, undefined, 2)}\n`)
  }
}

const round = (value: number): number => Number(value.toPrecision(4))
