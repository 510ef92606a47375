/** A value that a client accepts, in lower case, and its weight: from 1 for the best to 0 for one it does not accept. */
type Accepted = { value: string; weight: number }

/** Parses the header Accept-Encoding or Accept-Language, in time that grows linearly with its length. */
export function parseAccepted(header: string | string[] | undefined): Accepted[] {
  const text = typeof header === 'string' ? header.toLowerCase() : ''
  return text.split(',').map((one) => {
    const [value = '', ...parameters] = one.split(';').map((part) => part.trim())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    return { value, weight: weight === undefined ? 1 : Number(weight) }
  })
}

/** Whether a request with this Accept-Encoding accepts the encoding. */
export const acceptsEncoding = (header: string | string[] | undefined, encoding: string): boolean =>
  parseAccepted(header).some(({ value, weight }) => value === encoding && weight > 0)
