/** Whether one list holds exactly what the other does, each once, in whatever order. */
export function isReordering(current: readonly string[], wanted: readonly string[]): boolean {
  const left = new Set(current)
  return wanted.length === current.length && wanted.every((id) => left.delete(id))
}

/** Whether two lists are the same, their order included. */
export const isSameOrder = (current: readonly string[], wanted: readonly string[]): boolean =>
  current.length === wanted.length && current.every((id, index) => id === wanted[index])
