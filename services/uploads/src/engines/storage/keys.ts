const pattern = /^[\w-]+(\/[\w-]+)*$/

export const isKey = (name: string): boolean => pattern.test(name)

/** Throws if the text is not a key, which only a bug of this service can cause. */
export function checkKey(key: string): string {
  if (!isKey(key)) throw new TypeError(`${JSON.stringify(key)} is not a key of the storage`)
  return key
}
