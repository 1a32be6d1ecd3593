/** The column of each field of a resource. It compiles only if every field has one, also an optional field. */
export type Columns<Fields, Table> = Readonly<Record<keyof Fields, keyof Table>>;

/** Returns the columns as Kysely selects them: each under the name of its field. */
export function selection<const Of extends Record<string, string>>(columns: Of): Selected<Of>[] {
  return Object.entries(columns).map(([field, column]) => `${column} as ${field}` as Selected<Of>);
}

type Selected<Of extends Record<string, string>> = {
  [Field in keyof Of & string]: `${Of[Field]} as ${Field}`;
}[keyof Of & string];

/** Returns the row with these fields. It compiles only if every field has a column, so that none is lost. */
export function rowOf<Fields extends object, const Of extends Record<string, string>>(
  columns: Of & Record<keyof Fields, string>,
  fields: Fields,
): Row<Fields, Of> {
  const entries = Object.entries<string>(columns).map(([field, column]) => [column, fields[field as keyof Fields]]);
  return Object.fromEntries(entries) as Row<Fields, Of>; // fromEntries knows no keys
}

type Row<Fields, Of extends Record<string, string>> = {
  [Field in keyof Fields & keyof Of as Of[Field]]: Fields[Field];
};
