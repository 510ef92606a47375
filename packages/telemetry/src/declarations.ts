import type { LabelName } from './labels.ts'

export type Declaration = {
  /** Dotted name of OpenTelemetry's semantic conventions, otherwise `parley.` and the owner. */
  readonly name: string
  readonly kind: 'counter' | 'gauge' | 'histogram'
  /** One sentence without a full stop. */
  readonly description: string
  /** Unit in UCUM notation: `s`, `By`, or the counted thing in braces, such as `{message}`. */
  readonly unit: string
  readonly labels: readonly LabelName[]
}

const declared: Declaration[] = []

export function declare(declaration: Declaration): void {
  declared.push(declaration)
}

/** In the order of their declaration. */
export const declarations = (): readonly Declaration[] => declared
