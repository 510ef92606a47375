export function isReordering(current: readonly string[], wanted: readonly string[]): boolean {
  const left = new Set(current)
  return wanted.length === current.length && wanted.every((id) => left.delete(id))
}

export const isSameOrder = (current: readonly string[], wanted: readonly string[]): boolean =>
  current.length === wanted.length && current.every((id, index) => id === wanted[index])
