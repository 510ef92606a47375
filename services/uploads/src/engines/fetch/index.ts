export { fetchImage } from './fetch-image.ts'
export { type SafeFetch, checkedUrl, safeFetch } from './safe-fetch.ts'
