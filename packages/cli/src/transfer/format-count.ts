/** `what` is a noun in the plural, and made singular for 1. */
export function formatCount(count: number, what: string): string {
  if (count !== 1) return `${count} ${what}`
  const [first = '', ...rest] = what.split(' ')
  const last = rest.length > 0 && !first.startsWith('people') ? rest.length : 0
  return `1 ${[first, ...rest].map((word, index) => (index === last ? oneOf(word) : word)).join(' ')}`
}

function oneOf(word: string): string {
  if (word === 'people') return 'person'
  return word.endsWith('ies') ? `${word.slice(0, -3)}y` : word.replace(/s$/, '')
}
