import { restore } from "../../src/maintenance/restore.ts";
import { OPTIONS } from "../things.ts";

/** Restores a backup over a database: `restorer.ts <path> <backup>`. */
const [path, backup] = process.argv.slice(2);
await restore(path!, backup!, OPTIONS);
