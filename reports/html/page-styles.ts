import { readText } from './page-parts.ts'

/** The styles that all pages have: what they are made of, tables, and how they are printed. */
export function pageStyles(): string[] {
  return ['page.css', 'tables.css', 'print.css'].map((file) => readText(new URL(file, import.meta.url)))
}
