import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import petstore.ApiClient;
import petstore.ApiException;
import petstore.ApiResponse;
import petstore.api.PetsApi;
import petstore.model.NewPet;
import petstore.model.Pet;
import petstore.model.PetStatus;

/** Uses a client made by openapi-generator; prints what it met as JSON. */
public class Main {
  private static final Pattern NEXT = Pattern.compile("[?&]cursor=([^&>]+)[^>]*>; rel=\"next\"");
  private static final ObjectMapper JSON = new ObjectMapper();

  interface Call {
    void run() throws ApiException;
  }

  static PetsApi connect(String key) {
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("BASE_URL"));
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + key));
    return new PetsApi(client);
  }

  static List<Object> refusal(Call call) throws Exception {
    try {
      call.run();
      return null;
    } catch (ApiException error) {
      String body = error.getResponseBody();
      boolean isEmpty = body == null || body.isEmpty();
      return Arrays.asList(error.getCode(), isEmpty ? null : JSON.readTree(body).get("code").asText());
    }
  }

  static List<String> names(List<Pet> pets) {
    return pets.stream().map(Pet::getName).toList();
  }

  static String header(ApiResponse<?> response, String name) {
    return response.getHeaders().entrySet().stream()
        .filter(entry -> entry.getKey().equalsIgnoreCase(name))
        .map(entry -> entry.getValue().get(0))
        .findFirst()
        .orElse(null);
  }

  public static void main(String[] arguments) throws Exception {
    PetsApi pets = connect(System.getenv("API_KEY"));
    Map<String, Object> met = new LinkedHashMap<>();

    pets.createPet(new NewPet().name("Rex").categoryId(1L), null);
    pets.createPet(new NewPet().name("Mia").categoryId(1L).status(PetStatus.SOLD), null);
    pets.createPet(new NewPet().name("Zoë 🐈").categoryId(1L).status(PetStatus.SOLD), null);
    NewPet tim = new NewPet().name("Tim").categoryId(2L);
    ApiResponse<Pet> first = pets.createPetWithHttpInfo(tim, "one-key");
    ApiResponse<Pet> second = pets.createPetWithHttpInfo(tim, "one-key");
    met.put("created once", first.getData().equals(second.getData()));
    met.put("replayed", header(second, "Idempotency-Replayed"));
    met.put("request id", header(first, "X-Request-Id") != null);
    met.put("sold", names(pets.listPets(null, PetStatus.SOLD, null, null)));

    List<String> all = new ArrayList<>();
    String cursor = null;
    ApiResponse<List<Pet>> page;
    while (true) {
      page = pets.listPetsWithHttpInfo(2, null, cursor, null);
      all.addAll(names(page.getData()));
      String link = header(page, "Link");
      if (link == null) break;
      Matcher next = NEXT.matcher(link);
      next.find();
      cursor = next.group(1);
    }
    met.put("all", all);

    String at = cursor;
    String tag = header(page, "ETag");
    met.put("304", refusal(() -> pets.listPets(2, null, at, tag)));
    met.put("400", refusal(() -> pets.listPets(null, null, "abc", null)));
    met.put("401", refusal(() -> connect("wrong").listPets(null, null, null, null)));
    met.put("404", refusal(() -> pets.getPet(4711L, null)));
    System.out.println(JSON.writeValueAsString(met));
  }
}
