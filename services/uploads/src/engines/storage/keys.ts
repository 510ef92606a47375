const form = /^[\w-]+(\/[\w-]+)*$/

/** Whether a name has the form of a key. Other files and folders may exist beside ours and are ignored. */
export const isKey = (name: string): boolean => form.test(name)

/** Returns the key. Throws if the text is not a key, which only a bug of this service can cause. */
export function checkKey(key: string): string {
  if (!isKey(key)) throw new TypeError(`${JSON.stringify(key)} is not a key of the storage`)
  return key
}
