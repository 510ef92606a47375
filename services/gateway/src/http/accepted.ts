type Accepted = { value: string; weight: number }

/** Parses Accept-Encoding or Accept-Language, in linear time. */
export function parseAccepted(header: string | string[] | undefined): Accepted[] {
  const text = typeof header === 'string' ? header.toLowerCase() : ''
  return text.split(',').map((one) => {
    const [value = '', ...parameters] = one.split(';').map((part) => part.trim())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    return { value, weight: weight === undefined ? 1 : Number(weight) }
  })
}

export const acceptsEncoding = (header: string | string[] | undefined, encoding: string): boolean =>
  parseAccepted(header).some(({ value, weight }) => value === encoding && weight > 0)
