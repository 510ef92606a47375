/**
 * Index of the option to which an arrow key moves from index `at`, among `count` options in `columns` columns;
 * undefined for other keys. In a single column, the first option follows the last.
 */
export function optionAfter(key: string, at: number, count: number, columns = 1): number | undefined {
  const step = { ArrowDown: columns, ArrowUp: -columns, ...(columns > 1 && { ArrowRight: 1, ArrowLeft: -1 }) }[key]
  if (step === undefined || count === 0) return undefined
  return columns > 1 ? Math.max(0, Math.min(count - 1, at + step)) : (at + step + count) % count
}
