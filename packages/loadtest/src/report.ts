import { writeFileSync } from 'node:fs'

/**
 * One figure. `floor` is the raw cost to which it is compared, measured in the same run; `budget` is its maximum. Both
 * have the same unit.
 */
export type Figure = {
  name: string
  value: number
  unit: string
  floor: number | null
  ratio: number | null
  budget: number | null
}

/** Tolerated excess over a budget before `exceeded` lists the result: machines and times differ. */
const tolerance = 4 / 3

/** Collects figures, prints them as they come, and writes them all as JSON. */
export class Report {
  readonly #figures: Figure[] = []

  /** Records a figure and prints it. */
  add(name: string, value: number, unit: string, floor?: number, budget?: number): void {
    const figure = this.note(name, value, unit, { floor, budget })
    const beside = figure.ratio === null ? '' : `   floor ${figure.floor} ${unit}   ratio ${figure.ratio}`
    const limit = figure.budget === null ? '' : `   budget ${figure.budget} ${unit}`
    console.log(`${name.padEnd(58)} ${String(figure.value).padStart(10)} ${unit}${beside}${limit}`)
  }

  /** Records a figure without printing it. */
  note(
    name: string,
    value: number,
    unit: string,
    { floor, budget }: { floor?: number | undefined; budget?: number | undefined } = {},
  ): Figure {
    const figure = {
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

  /** Figures that are more than a third above their budget. */
  exceeded(): Figure[] {
    return this.#figures.filter(({ value, budget }) => budget !== null && value > budget * tolerance)
  }

  write(file: string | undefined): void {
    if (file) writeFileSync(file, `${JSON.stringify(this.#figures, undefined, 2)}\n`)
  }
}

const round = (value: number): number => Number(value.toPrecision(4))
