import { followTutorial } from "./tutorial-reader.ts";

followTutorial("PostgreSQL");
