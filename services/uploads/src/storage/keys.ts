const form = /^[\w-]+(\/[\w-]+)*$/

/** Answers the key. Throws when it is none: only a mistake in this service makes such a one. */
export function checkKey(key: string): string {
  if (!form.test(key)) throw new TypeError(`${JSON.stringify(key)} is no key of the storage`)
  return key
}
