import json
import math


def main():
    values = [math.sqrt(i) for i in range(5)]
    print(json.dumps([round(v, 3) for v in values]))
    return 0


if __name__ == "__main__":
    main()
